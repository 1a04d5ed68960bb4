import Gatefold
import HTTPTypes

@testable import Console

extension FuzzTarget {
    /// Three lines: a form, the value of a cookie, and the value of a header or a text on a page.
    static let consoleRequest = FuzzTarget(
        "console-request", upTo: 1024, of: "ConsoleForm", "SessionCookie", "SameOriginRule"
    ) { bytes in
        let lines = lines(bytes, 3)
        if let form = ConsoleForm.parse(lines[0]) {
            promise(form.count <= lines[0].utf8.count, "a form has more fields than signs")
        }
        let session = SessionCookie(name: "__Host-gatefold-console").read([.cookie: lines[1]])
        promise(session.map { lines[1].contains($0.text) } ?? true, "a session is not in its cookie")
        let origin = "http://127.0.0.1:8081"
        promise(
            // A field has no control characters, and no spaces at its ends.
            !SameOriginRule.permits([.origin: lines[2]], origin: origin) || lines[2].contains(origin),
            "a foreign page may send a form")
        let escaped = HTMLText.escape(lines[2]).utf8
        promise(
            !escaped.contains {
                [UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'")].contains($0)
            },
            "a value has signs of HTML")
    }
}
