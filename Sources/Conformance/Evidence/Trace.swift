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
    static func forms(of bytes: [UInt8]) -> Set<[UInt8]> { Set(spellings(of: bytes)) }

    /// The same in an order that does not depend on the bytes, so that the same places are the same way of writing; as they are comes
    /// first. Other texts may be written alike in several ways.
    static func spellings(of bytes: [UInt8]) -> [[UInt8]] {
        let base64 = Data(bytes).base64EncodedString()
        let unpadded = base64.replacing("=", with: "")
        let webSafe = unpadded.replacing("+", with: "-").replacing("/", with: "_")
        let spellings = [bytes, Array(unpadded.utf8), Array(webSafe.utf8), Array(Hexadecimal.encode(bytes).utf8)]
        guard let text = String(validating: bytes, as: UTF8.self) else { return spellings }
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
        let apostrophes = ["&#39;", "&#039;", "&#x27;", "&apos;"].map {
            text.utf8.contains(UInt8(ascii: "'")) ? escaped.replacing("'", with: $0) : escaped
        }
        let percent = PercentEncoding.encode(text)
        let form = percent.replacing("%20", with: "+")
        return spellings + ([escaped] + apostrophes + [percent, form]).map { Array($0.utf8) }
            + [lowercasingEscapes(Array(percent.utf8))]
    }

    private static func lowercasingEscapes(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for escape in bytes.indices where bytes[escape] == UInt8(ascii: "%") {
            for digit in bytes.indices.clamped(to: escape + 1..<escape + 3)
            where (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(bytes[digit]) { bytes[digit] |= 0x20 }
        }
        return bytes
    }

    private static func body(_ body: [UInt8], without element: String) -> [UInt8] {
        guard let start = body.firstRange(of: Array("<\(element)".utf8)),
            let end = body.firstRange(of: Array("</\(element)>".utf8)), start.lowerBound < end.lowerBound
        else { return body }
        return Array(body[..<start.lowerBound] + body[end.upperBound...])
    }
}
