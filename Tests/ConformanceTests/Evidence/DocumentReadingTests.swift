import Foundation
import Testing
import XML

@testable import Conformance

@Suite("Document of an untrusted server")
struct DocumentReadingTests {
    private func reading(_ body: [UInt8]) throws -> DocumentReading {
        let address = try #require(Address("http://127.0.0.1/test"))
        let probe = Probe(.ordinary, .verifySubscription, [], at: Endpoint(root: address))
        return try #require(DocumentReading(ReceivedResponse(status: 200, body: body), to: probe))
    }

    private func reading(_ text: String) throws -> DocumentReading { try reading(Array(text.utf8)) }

    @Test("is read if its encoding is a superset of ASCII")
    func readable() throws {
        for beginning in ["", "\u{FEFF}", "\n", "<?xml version='1.0'?>", "<?xml version='1.0' encoding='UTF-8'?>"] {
            #expect(try reading("\(beginning)<subscription/>").root?.name == "subscription", "\(beginning)")
        }
        let latin = Array("<?xml version='1.0' encoding='ISO-8859-1'?><a b='".utf8) + [0xE4] + Array("'/>".utf8)
        #expect(try reading(latin).root?.attributes["b"] == "ä")
    }

    @Test("is not read in an encoding in which its markup cannot be counted")
    func foreign() throws {
        let text = "<subscription state='active'/>"
        for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian] {
            let body = try #require(text.data(using: encoding))
            let reading = try reading(Array(body))
            #expect(
                reading.root == nil && reading.formFault?.hasSuffix("the document was not parsed") == true,
                "\(encoding)")
        }
        // “<?xml” in EBCDIC.
        let fault = try reading([0x4C, 0x6F, 0xA7, 0x94, 0x93]).formFault
        #expect(fault == "the encoding does not extend ASCII, so the document was not parsed")
        let named = try reading("<?xml version='1.0' encoding='IBM037'?>\(text)").formFault
        #expect(
            named == "the XML declaration names an encoding that does not extend ASCII, so the document was not parsed")
        let late = "<?xml version='1.0'\(String(repeating: " ", count: 300))encoding='UTF-7'?>\(text)"
        #expect(
            try reading(late).formFault
                == "the XML declaration is longer than 200 bytes, so the document was not parsed")
    }

    @Test("is not read if it has more markup than any document of the protocol")
    func markup() throws {
        let elements = String(repeating: "<a b='c'/>", count: 9_999)
        #expect(try reading("<r>\(elements)</r>").root?.children.count == 9_999)
        let more = try reading("<r>\(elements)<a/><a/></r>")
        #expect(more.root == nil)
        #expect(
            more.formFault == "the document has more than 20000 elements, attributes and comments and was not parsed")
        #expect(try reading("<r>\(String(repeating: "<!---->", count: 20_000))</r>").root == nil)
        let attributes = (0..<201).map { " a\($0)=''" }.joined()
        let wide = try reading("<r\(attributes)/>").formFault
        #expect(wide == "an element has more than 200 attributes, so the document was not parsed")
    }
}
