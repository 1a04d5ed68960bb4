import Foundation
import Gatefold
import OutgoingRequests

/// Looks for a text in an answer, in every form that it could be written in.
///
/// By bytes, for which searching takes a time that grows with the sum of both lengths: token and answer may be the work of a server
/// that wants to keep whoever checks it busy.
enum Trace {
    /// The shortest text that can not well stand somewhere by chance.
    static let shortest = 6

    /// Where in the answer the text stands; nil where it does not.
    ///
    /// - Parameter elements: whose content is not looked at.
    static func place(of text: String, in exchange: Exchange, without elements: [String]) -> String? {
        place(of: Array(text.utf8), in: exchange, without: elements)
    }

    /// The same of bytes, which need be no text.
    static func place(of bytes: [UInt8], in exchange: Exchange, without elements: [String]) -> String? {
        guard bytes.count >= shortest, let answer = exchange.answer else { return nil }
        let forms = forms(of: bytes)
        func isTold(_ bytes: some BidirectionalCollection<UInt8>) -> Bool {
            forms.contains { form in form.count <= bytes.count && bytes.firstRange(of: form) != nil }
        }
        if let field = answer.fields.first(where: { isTold(Array($0.value.utf8)) }) {
            return "the header field \(Printable.told(field.name))"
        }
        var body = answer.body
        for element in elements { body = Self.body(body, without: element) }
        guard isTold(body) else { return nil }
        return Comments.ranges(in: body).contains { isTold(body[$0]) } ? "a comment" : "the body"
    }

    /// Bytes as they may be written down.
    static func forms(of bytes: [UInt8]) -> Set<[UInt8]> {
        let base64 = Data(bytes).base64EncodedString()
        let unpadded = base64.replacing("=", with: "")
        let webSafe = unpadded.replacing("+", with: "-").replacing("/", with: "_")
        var forms: Set = [bytes, Array(unpadded.utf8), Array(webSafe.utf8), Array(Hexadecimal.encode(bytes).utf8)]
        guard let text = String(validating: bytes, as: UTF8.self) else { return forms }
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
        forms.formUnion([Array(escaped.utf8), Array(PercentEncoding.encode(text).utf8)])
        return forms
    }

    private static func body(_ body: [UInt8], without element: String) -> [UInt8] {
        guard let start = body.firstRange(of: Array("<\(element)".utf8)),
            let end = body.firstRange(of: Array("</\(element)>".utf8)), start.lowerBound < end.lowerBound
        else { return body }
        return Array(body[..<start.lowerBound] + body[end.upperBound...])
    }
}
