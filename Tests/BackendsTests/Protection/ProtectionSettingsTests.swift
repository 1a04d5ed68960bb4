import Foundation
import Settings
import Testing

@testable import Backends
@testable import Resilience

@Suite("Protection settings")
struct ProtectionSettingsTests {
    private func read(_ text: String) throws -> ProtectionSettings {
        try ProtectionSettings(
            try YAMLSettings.read(text: "protection: \(text)", name: "gatefold.yaml", folder: "/srv", environment: [:])
                .section("protection"))
    }

    @Test("Every setting has a default")
    func defaults() throws {
        #expect(try read("{}") == ProtectionSettings())
        let cache = try #require(try read("{}").cache)
        #expect(cache.freshness == 60 && cache.revalidateAfter == 30 && cache.negative == 5)
        #expect(cache.lastKnownGood == 86_400 && cache.memory == 64_000_000)
    }

    @Test("Every setting is read")
    func all() throws {
        let read = try read(
            """

              deadline: 750ms
              concurrency: {max_concurrent: 4, max_queued: 20, queue_timeout: 500ms}
              breaker: {min_failures: 9, failure_rate: 80, window: 1m, open_duration: 20s, max_probes: 2}
              cache: {ttl: 2m, revalidate_after: 90s, negative_ttl: 2s, last_known_good: 7d, max_memory: 1GB}
            """)
        #expect(read.deadline == 0.75)
        #expect(
            read.concurrency.maxConcurrent == 4 && read.concurrency.waiting == 20
                && read.concurrency.queueTimeout == 0.5)
        let breaker = try #require(read.breaker)
        #expect(breaker.failures == 9 && breaker.failurePercentage == 80 && breaker.within == 60)
        #expect(breaker.openDuration == 20 && breaker.probes == 2)
        let cache = try #require(read.cache)
        #expect(cache.freshness == 120 && cache.revalidateAfter == 90 && cache.negative == 2)
        #expect(cache.lastKnownGood == 604_800 && cache.memory == 1_000_000_000)
    }

    @Test("The example in the documentation matches the defaults")
    func example() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
        let text = try String(
            contentsOf: root.appending(path: "Fixtures/Configurations/Protection.yaml"), encoding: .utf8)
        let top = try YAMLSettings.read(text: text, name: "Protection.yaml", folder: "/srv", environment: [:])
        #expect(try ProtectionSettings(try top.section("protection")) == ProtectionSettings())
        let article = try String(
            contentsOf: root.appending(path: "Sources/Resilience/Resilience.docc/Protection.md"), encoding: .utf8)
        for line in text.split(separator: "\n") { #expect(article.contains(line), "\(line)") }
    }

    @Test("`enabled: false` switches off the breaker and the cache")
    func off() throws {
        let read = try read("{breaker: {enabled: false}, cache: {enabled: false}}")
        #expect(read.breaker == nil && read.cache == nil)
    }

    @Test("A shorter freshness shortens the times that depend on it")
    func shortFreshness() throws {
        let cache = try #require(try read("{cache: {ttl: 2s}}").cache)
        #expect(cache.revalidateAfter == 1 && cache.negative == 2)
    }

    @Test(
        "A mistake is reported in one line with the position, the key and the expected value",
        arguments: [
            (
                "{deadline: 0s}",
                "protection.deadline: expected a time such as 250ms, 90s, 15m, 12h or 30d, from 10ms to 5m"
            ),
            (
                "{concurrency: {max_concurrent: 0}}",
                "protection.concurrency.max_concurrent: expected a whole number from 1 to 1000"
            ),
            (
                "{breaker: {failure_rate: 101}}",
                "protection.breaker.failure_rate: expected a whole number from 1 to 100"
            ),
            (
                "{cache: {max_memory: 64}}",
                "protection.cache.max_memory: expected a size such as 500kB, 64MB or 2GB, from 100kB"
            ),
            ("{cache: {revalidate_after: 61s}}", "protection.cache.revalidate_after: expected a time no longer than"),
            (
                "{cache: {negative_ttl: 61s}}",
                "protection.cache.negative_ttl: expected a time no longer than `ttl`"
            ),
            ("{cache: {last_known_good: 9s}}", "protection.cache.last_known_good: expected 0s for never, or a time no"),
            ("{cache: {fresh: 9s}}", "protection.cache.fresh: unknown key; expected one of"),
            ("{dedline: 9s}", "protection.dedline: unknown key; expected one of"),
        ])
    func mistakes(text: String, message: String) {
        let error = #expect(throws: SettingsError.self) { try read(text) }
        #expect(error?.description.hasPrefix("gatefold.yaml:1: \(message)") == true, "\(error?.description ?? "none")")
    }
}
