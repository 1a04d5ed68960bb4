/// A writer for one XML 1.0 document in UTF-8.
///
/// For any texts, the document is well-formed and reads back as the same texts, except for characters that XML
/// cannot represent, which become U+FFFD. Names are literals of the program, so that external input cannot choose a
/// name.
///
/// ```swift
/// var xml = XMLWriter()
/// xml.element("token", ["global_auth_password": password]) { $0.text(token) }
/// let bytes = xml.bytes
/// ```
public struct XMLWriter: Sendable {
    /// The document written so far.
    public private(set) var bytes: [UInt8]

    /// Begins the document with its declaration.
    public init() {
        bytes = []
        bytes.reserveCapacity(512)
        bytes.append(contentsOf: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".utf8)
    }

    /// Writes an element. An attribute with the value nil is omitted. An element without content is written as an
    /// empty tag.
    public mutating func element(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?> = [:],
        content: (inout XMLWriter) -> Void = { _ in }
    ) {
        bytes.append(UInt8(ascii: "<"))
        append(name)
        for case (let name, let value?) in attributes {
            bytes.append(UInt8(ascii: " "))
            append(name)
            bytes.append(contentsOf: "=\"".utf8)
            XMLText.append(value, in: .attribute, to: &bytes)
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: ">"))
        let opened = bytes.count
        content(&self)
        if bytes.count == opened {
            bytes.removeLast()
            bytes.append(contentsOf: "/>".utf8)
        } else {
            bytes.append(contentsOf: "</".utf8)
            append(name)
            bytes.append(UInt8(ascii: ">"))
        }
    }

    public mutating func text(_ text: String) {
        XMLText.append(text, in: .text, to: &bytes)
    }

    /// Writes a comment. Comments are allowed anywhere, also before and after the root element.
    public mutating func comment(_ text: String) {
        bytes.append(contentsOf: "<!-- ".utf8)
        XMLText.appendComment(text, to: &bytes)
        bytes.append(contentsOf: " -->".utf8)
    }

    private mutating func append(_ name: StaticString) {
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }
}
