import JSON
import Testing

@testable import Console

@Suite("The sentence of an explanation") struct ExplanationSentenceTests {
    private static func result(opens: Bool, _ verdict: String, _ steps: [JSONValue]) -> JSONValue {
        [
            "edition": "com.example.1", "opens": .boolean(opens), "verdict": .string(verdict),
            "steps": .array(steps),
        ]
    }

    private static func step(_ code: String, _ outcome: String, _ reason: String) -> JSONValue {
        [
            "step": .string(code), "outcome": .string(outcome), "reason": .string(reason),
            "remedy": .string("remedy of \(code)"),
        ]
    }

    private static let throttle = step("throttle", "warns", "throttled")
    private static let devices = step("devices", "warns", "device_limit")

    @Test(
        "A verdict that opens is no good news for a reader whose sign-in is refused",
        arguments: [(throttle, "Wrong passwords (throttled)"), (devices, "Limit of devices (device_limit)")])
    func refusedSignIn(step: JSONValue, cause: String) throws {
        let banners = ExplanationSentence.banners(Self.result(opens: true, "granted", [step]))
        let banner = try #require(banners.first)
        #expect(banners.count == 1 && banner.bannerKind == "problem")
        #expect(banner.bannerText.contains("a sign-in is refused") && banner.bannerText.contains(cause))
        #expect(banner.bannerDetails == ["Remedy: \(step["remedy"]?.text ?? "")"])
    }

    @Test("Each step that refuses a sign-in has a banner of its own, also if the edition does not open")
    func several() {
        let both = [Self.throttle, Self.devices]
        #expect(ExplanationSentence.banners(Self.result(opens: true, "granted", both)).count == 2)
        let closed = ExplanationSentence.banners(Self.result(opens: false, "rejected", both))
        #expect(closed.map(\.bannerKind) == ["problem", "note", "note"])
    }

    @Test("Without a refused sign-in, the verdict is the only banner")
    func verdict() {
        let passes = Self.step("throttle", "passes", "none")
        let banners = ExplanationSentence.banners(Self.result(opens: true, "granted", [passes]))
        #expect(banners.map(\.bannerKind) == ["good"])
        #expect(banners.first?.bannerText == "com.example.1 opens for this reader.")
    }
}
