import Foundation
import OutgoingRequests
import Primitives

/// A search for a text in a response, in every form in which the response could contain it.
///
/// The search compares bytes, because its time then grows with the sum of both lengths. The token and the response
/// may come from a server that wants to keep the checker busy.
enum TextSearch {
    /// The minimum length of a text, in bytes. A shorter one may occur by chance.
    static let minLength = 6

    /// Returns the place where the response contains the text, or nil if it does not.
    ///
    /// - Parameter elements: The names of elements whose content is not searched.
    static func place(of text: String, in exchange: Exchange, without elements: [String]) -> String? {
        place(of: Array(text.utf8), in: exchange, without: elements)
    }

    /// Returns the place where the response contains the bytes, which need not be text.
    static func place(of bytes: [UInt8], in exchange: Exchange, without elements: [String]) -> String? {
        guard bytes.count >= minLength, let response = exchange.response else { return nil }
        let forms = forms(of: bytes)
        func isReported(_ bytes: some BidirectionalCollection<UInt8>) -> Bool {
            forms.contains { form in form.count <= bytes.count && bytes.firstRange(of: form) != nil }
        }
        if let field = response.fields.first(where: { isReported(Array($0.value.utf8)) }) {
            return "the header field \(Printable.redacted(field.name))"
        }
        var body = response.body
        for element in elements { body = Self.body(body, without: element) }
        guard isReported(body) else { return nil }
        return Comments.ranges(in: body).contains { isReported(body[$0]) } ? "a comment" : "the body"
    }

    /// Returns the forms in which the bytes may be written.
    static func forms(of bytes: [UInt8]) -> Set<[UInt8]> { Set(encodings(of: bytes)) }

    /// Returns the spellings of the bytes in a fixed order, so that the same index is the same spelling for
    /// different values. The unchanged bytes come first. Different spellings may be equal.
    static func encodings(of bytes: [UInt8]) -> [[UInt8]] {
        let base64 = Data(bytes).base64EncodedString()
        let unpadded = base64.replacing("=", with: "")
        let webSafe = unpadded.replacing("+", with: "-").replacing("/", with: "_")
        let encodings = [bytes, Array(unpadded.utf8), Array(webSafe.utf8), Array(Hexadecimal.encode(bytes).utf8)]
        guard let text = String(validating: bytes, as: UTF8.self) else { return encodings }
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
        let apostrophes = ["&#39;", "&#039;", "&#x27;", "&apos;"].map {
            text.utf8.contains(UInt8(ascii: "'")) ? escaped.replacing("'", with: $0) : escaped
        }
        let percent = PercentEncoding.encode(text)
        let form = percent.replacing("%20", with: "+")
        return encodings + ([escaped] + apostrophes + [percent, form]).map { Array($0.utf8) }
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
