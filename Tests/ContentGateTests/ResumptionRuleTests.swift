import ContentGate
import HTTPTypes
import TestSupport
import Testing

@Suite("Rule for resumed downloads")
struct ResumptionRuleTests {
    @Test("accepts a single range after the first byte, in the strict spelling, with any condition")
    func continuing() {
        for (form, _) in RangeForm.continuing(of: 1_000, tag: "\"a\"") {
            #expect(ResumptionRule.isResume(.get, form.headers), "\(form)")
            let isConditional = form.headers.contains(.ifRange)
            #expect(ResumptionRule.isUnconditionalResume(.get, form.headers) == !isConditional, "\(form)")
        }
    }

    @Test("rejects everything else where another server sends the response")
    func beginning() {
        for form in RangeForm.beginning(of: 1_000, tag: "\"a\"") {
            let method = HTTPRequest.Method(form.method) ?? .get
            #expect(!ResumptionRule.isUnconditionalResume(method, form.headers), "\(form)")
        }
        for value in [
            "Bytes=1-", "bytes= 1-", "bytes=01-", "bytes=1-,", "bytes=1-x", "bytes=1234567890123456789-",
        ] {
            #expect(!ResumptionRule.isResume(.get, [.range: value]), "\(value)")
        }
    }
}

extension RangeForm {
    fileprivate var headers: HTTPFields {
        HTTPFields(fields.compactMap { name, value in HTTPField.Name(name).map { HTTPField(name: $0, value: value) } })
    }
}
