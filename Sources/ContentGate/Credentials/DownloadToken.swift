public import Gatefold

/// Edition credentials in the query of a URL: `ticket=USERID.PASSWORD`.
///
/// Download tokens are for apps that open a URL and cannot add a header. The salts are sealed and expire within minutes,
/// because URLs are logged in places where headers are not.
///
/// The parser is strict, like ``BasicCredentials``. The parameter name is spelt exactly and nothing in it is
/// percent-decoded. A request with more than one download token, or with one and an `Authorization` header, is
/// rejected. If a publication accepts no download tokens, the query has no meaning.
///
/// Source: Baker protocol, “Download of an issue”; Basispress protocol, “Receipt response”; Pitfall 11, “Header
/// spoofing”.
public struct DownloadToken: Sendable, Equatable {
    public static let parameter = "ticket"
    public let credentials: EditionCredentials

    public init(_ credentials: EditionCredentials) {
        self.credentials = credentials
    }

    /// Parses the format that ``text`` writes. Returns `nil` for any other text.
    init?(_ text: some Collection<UInt8>) {
        // A salt contains no dot, so the first dot is the separator. No pair is longer than 256 bytes.
        guard text.count <= 256, let dot = text.firstIndex(of: UInt8(ascii: ".")),
            let userid = String(validating: text[..<dot], as: UTF8.self), !userid.isEmpty,
            let password = String(validating: text[text.index(after: dot)...], as: UTF8.self)
        else { return nil }
        credentials = EditionCredentials(userid: userid, password: password)
    }

    /// The value of the parameter. It needs no escaping in a query.
    public var text: String { "\(credentials.userid).\(credentials.password)" }

    /// Returns the target with the ticket in its query.
    public func added(to target: String) -> String {
        "\(target)\(target.utf8.contains(UInt8(ascii: "?")) ? "&" : "?")\(Self.parameter)=\(text)"
    }

    /// Returns the value of each ticket parameter in a request's target.
    static func offered(in target: String) -> [Substring.UTF8View] {
        // The comparison is by bytes, because by characters a question mark with a combining accent is not a
        // question mark.
        let bytes = target.utf8
        guard let questionMark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return [] }
        return bytes[bytes.index(after: questionMark)...].split(separator: UInt8(ascii: "&")).compactMap { pair in
            guard pair.starts(with: parameter.utf8) else { return nil }
            let rest = pair.dropFirst(parameter.utf8.count)
            if rest.isEmpty { return rest }
            return rest.first == UInt8(ascii: "=") ? rest.dropFirst() : nil
        }
    }
}
