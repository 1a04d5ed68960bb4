import Testing

@testable import Conformance

@Suite("An answer among others")
struct UniformityTests {
    private func answer(_ body: String, _ fields: [String: String] = [:], status: Int = 200) -> RawAnswer {
        RawAnswer(status: status, fields: fields.map { Field($0.key, $0.value) }, body: Array(body.utf8))
    }

    @Test("may differ from them in what differs among them")
    func alike() {
        let others = [answer("<a b=\"1\">x 2</a>", ["N": "1"]), answer("<a b=\"2\">x 3</a>", ["N": "2", "M": "1"])]
        #expect(Uniformity.difference(of: answer("<a b=\"7\">x 7</a>", ["N": "7"]), to: others) == nil)
        #expect(Uniformity.difference(of: answer("<a b=\"7\">x 7</a>", ["N": "7", "M": "5"]), to: others) == nil)
        let dated = answer("<a/>", ["Date": "now", "Content-Length": "4"])
        #expect(Uniformity.difference(of: dated, to: [answer("<a/>", ["Date": "then"])]) == nil)
        let unsteady = [answer("<a/><!-- 1 -->"), answer("<a/><!-- 1 2 -->")]
        #expect(Uniformity.difference(of: answer("<a/><!-- 1 2 3 -->"), to: unsteady) == nil)
    }

    @Test("may not differ in anything else")
    func unlike() {
        let others = [answer("<a b=\"1\">x 2</a>", ["N": "1"]), answer("<a b=\"2\">x 3</a>", ["N": "2", "M": "1"])]
        #expect(
            Uniformity.difference(of: answer("<a b=\"7\">y 7</a>", ["N": "7"]), to: others) == "their bodies differ")
        #expect(Uniformity.difference(of: answer("<a b=\"7\">x</a>", ["N": "7"]), to: others) == "their bodies differ")
        #expect(Uniformity.difference(of: answer("<a b=\"7\">x 7</a>"), to: others) == "their header fields differ (n)")
        let more = answer("<a b=\"7\">x 7</a>", ["N": "7", "K": "1"])
        #expect(Uniformity.difference(of: more, to: others) == "their header fields differ (k)")
        #expect(Uniformity.difference(of: answer("", status: 401), to: others) == "401 and 200")
        let unsteady = [answer("<a/><!-- 1 -->"), answer("<a/><!-- 1 2 -->")]
        #expect(Uniformity.difference(of: answer("<b/><!-- 1 2 3 -->"), to: unsteady) == "their bodies differ")
        let one = [answer("", ["X-Reason": "nouser"])]
        #expect(
            Uniformity.difference(of: answer("", ["X-Reason": "badpass"]), to: one)
                == "their header fields differ (x-reason)")
    }
}
