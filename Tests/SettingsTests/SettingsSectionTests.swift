import Foundation
import Settings
import TestSupport
import Testing

@Suite("Settings section")
struct SettingsSectionTests {
    private func read(_ text: String, environment: [String: String] = [:]) throws -> SettingsSection {
        try YAMLSettings.read(text: text, name: "gatefold.yaml", folder: "/etc/gatefold", environment: environment)
    }

    private enum Colour: String, CaseIterable { case red, green }

    @Test("Reads strings, numbers, Booleans, durations, choices, lists and paths")
    func values() throws {
        let top = try read(
            """
            name: daily
            most: 5
            on: true
            window: 15m
            colour: green
            list: [a, b]
            file: secrets/daily
            absolute: /var/lib/x
            day: 2026-11-21
            """)
        #expect(try top.string("name") == "daily")
        #expect(try top.integer("most", default: 1, in: 1...9) == 5)
        #expect(try top.boolean("on", default: false))
        #expect(try top.duration("window", default: 1, in: 1...3600) == 900)
        #expect(try top.choice("colour", default: Colour.red) == .green)
        #expect(try top.strings("list") == ["a", "b"])
        #expect(try top.filePath("file") == "/etc/gatefold/secrets/daily")
        #expect(try top.filePath("absolute") == "/var/lib/x")
        #expect(try top.requiredDate("day") == Date(timeIntervalSince1970: 1_795_219_200))
        try top.finish()
    }

    @Test(
        "Errors name the line, the key and the expected value",
        arguments: [
            ("a: 1\nmost: many", "most", "gatefold.yaml:2: most: expected a whole number from 1 to 9"),
            ("most: 10", "most", "gatefold.yaml:1: most: expected a whole number from 1 to 9"),
            ("\n\nmost: [1]", "most", "gatefold.yaml:3: most: expected a string"),
        ])
    func positions(text: String, key: String, message: String) throws {
        let top = try read(text)
        let error = #expect(throws: SettingsError.self) { try top.integer(key, default: 1, in: 1...9) }
        #expect(error?.description == message)
    }

    @Test("Errors name the full key path")
    func nestedKeys() throws {
        let inner = try read("publications:\n  daily:\n    policy: blue").section("publications").section("daily")
        let error = #expect(throws: SettingsError.self) { try inner.choice("policy", default: Colour.red) }
        #expect(error?.description == "gatefold.yaml:3: publications.daily.policy: expected one of red, green")
    }

    @Test("Rejects an unknown key and suggests the nearest one")
    func unknownKeys() throws {
        let top = try read("listen: x\nlisen: y")
        _ = try top.string("listen")
        let error = #expect(throws: SettingsError.self) { try top.finish() }
        #expect(
            error?.description
                == "gatefold.yaml:2: lisen: unknown key; expected one of listen; did you mean `listen`?")
    }

    @Test("Reports invalid YAML with its line", arguments: ["a: [1", "a: b: c", "\ta: 1", "a: 1\na: 2"])
    func notYAML(text: String) {
        let error = #expect(throws: SettingsError.self) { try read(text) }
        #expect(error?.description.hasPrefix("gatefold.yaml") == true)
        #expect(error?.description.contains("\n") == false)
    }

    @Test("Limits the expansion of aliases")
    func bomb() {
        let lines = (1...12).map {
            "a\($0): &a\($0) [\(Array(repeating: "*a\($0 - 1)", count: 10).joined(separator: ", "))]"
        }
        let error = #expect(throws: SettingsError.self) {
            try read((["a0: &a0 x"] + lines).joined(separator: "\n"))
        }
        #expect(error?.description.contains("expected at most 1000000 values") == true)
    }

    @Test("Limits the depth")
    func depth() {
        #expect(throws: SettingsError.self) { try read("a: " + String(repeating: "[", count: 200_000)) }
        #expect(throws: SettingsError.self) {
            try read("a: " + String(repeating: "[", count: 5_000) + String(repeating: "]", count: 5_000))
        }
    }

    @Test(
        "Rejects a key without a value, which may be meant as a section",
        arguments: ["a:\nb: 1", "a: {b: }", "a:\n  # c: 1\n"])
    func nothingWritten(_ text: String) {
        let error = #expect(throws: SettingsError.self) {
            try YAMLSettings.read(text: text, name: "gatefold.yaml", folder: "/", environment: [:])
        }
        #expect(error?.description.contains("nothing is written under it; expected a value, {}") == true)
        #expect(error?.description.hasPrefix("gatefold.yaml:1: ") == true)
    }

    @Test("Accepts an empty string and an explicit null")
    func emptyText() throws {
        let top = try YAMLSettings.read(text: "a: ''\nb: ~\nc: {}", name: "g", folder: "/", environment: [:])
        #expect(try top.string("a")?.isEmpty == true)
        #expect(!top.has("b") && top.has("c"))
    }

    @Test("An empty file is an empty section", arguments: ["", "# nothing\n", "~"])
    func empty(text: String) throws {
        try read(text).finish()
    }

    @Test("An environment variable overrides the file and is named in errors")
    func environment() throws {
        let top = try read(
            "server:\n  listen: a\npublications:\n  my-daily:\n    most: 1",
            environment: [
                "GATEFOLD__SERVER__LISTEN": "b", "GATEFOLD__PUBLICATIONS__MY_DAILY__MOST": "many",
                "GATEFOLD__SERVER__TRUSTED_PROXIES": "[10.0.0.1, 10.0.0.2]", "HOME": "/root",
            ])
        #expect(try top.section("server").string("listen") == "b")
        #expect(try top.section("server").strings("trusted_proxies") == ["10.0.0.1", "10.0.0.2"])
        let error = #expect(throws: SettingsError.self) {
            try top.section("publications").section("my-daily").integer("most", default: 1, in: 1...9)
        }
        #expect(error?.origin == .environment("GATEFOLD__PUBLICATIONS__MY_DAILY__MOST"))
    }

    @Test("Durations", arguments: [("250ms", 0.25), ("90s", 90.0), ("15m", 900), ("12h", 43_200), ("30d", 2_592_000)])
    func durations(text: String, seconds: Double) throws {
        #expect(try read("t: \(text)").duration("t", default: 0, in: 0...1e9) == seconds)
    }

    @Test("Parses sizes", arguments: [("500kB", 500_000), ("64MB", 64_000_000), ("2GB", 2_000_000_000)])
    func sizes(text: String, bytes: Int) throws {
        #expect(try read("s: \(text)").size("s", default: 0, in: 0...10_000_000_000) == bytes)
    }

    @Test(
        "Rejects invalid sizes",
        arguments: ["64", "MB", "-1MB", "1.5GB", "64mb", "64 MB", "9999999999999999999GB", "100GB"])
    func noSizes(text: String) throws {
        let error = #expect(throws: SettingsError.self) {
            try read("s: \(text)").size("s", default: 0, in: 100_000...10_000_000_000)
        }
        #expect(
            error?.description == "gatefold.yaml:1: s: expected a size such as 500kB, 64MB or 2GB, from 100kB to 10GB")
    }

    @Test("Shows limits below a second in milliseconds")
    func shortLimits() throws {
        let error = #expect(throws: SettingsError.self) {
            try read("t: 1h").duration("t", default: 1, in: 0.05...60)
        }
        #expect(
            error?.description
                == "gatefold.yaml:1: t: expected a time such as 250ms, 90s, 15m, 12h or 30d, from 50ms to 1m")
    }

    @Test(
        "Rejects invalid durations",
        arguments: ["90", "s", "-1s", "1.5h", "1w", "99999999999999999999d", "1 h", "ms", "-1ms", "1.5ms"])
    func notDurations(text: String) throws {
        let top = try read("t: \"\(text)\"")
        #expect(throws: SettingsError.self) { try top.duration("t", default: 0, in: 0...1e9) }
    }

    @Test("Reads or rejects 10,000 random texts")
    func randomTexts() {
        var random = SeededRandom(seed: 8)
        for _ in 0..<10_000 {
            let bytes = random.hostileBytes(upTo: 12, specialCharacters: "abc: -[]{}\n\"'#&*!|>%@`~,?")
            _ = try? read(String(decoding: bytes, as: UTF8.self))
        }
    }
}

@Suite("Settings warnings") struct SettingsWarningTests {
    @Test("Are reported once, with their position")
    func warnings() throws {
        let top = try YAMLSettings.read(text: "a:\n  b:\n    c: true\nd: 1\n", name: "x.yaml", folder: "/")
        #expect(top.warnings.isEmpty)
        let section = try top.section("a").section("b")
        section.warn("c", "is dangerous")
        try top.section("a").section("b").warn("c", "is dangerous")
        #expect(top.warnings.map(\.description) == ["x.yaml:3: a.b.c: is dangerous"])
        #expect(section.warnings == top.warnings)
    }
}
