public import Gatefold

/// Edition credentials in a URL's query: `ticket=USERID.PASSWORD`.
///
/// For apps that are sent to a URL and add no header of ours (PROTOCOLS 2.2 and 3). The salts are sealed and live for
/// minutes, since URLs are written down in places where headers are not.
///
/// Strict, like ``BasicCredentials``: the parameter's name is spelt exactly, nothing in it is percent-decoded, and a request
/// with more than one ticket, or with a ticket and an `Authorization` header, is a bad one (PITFALLS row 11). Where a
/// publication takes no tickets, the query means nothing.
public struct Ticket: Sendable, Equatable {
    public static let parameter = "ticket"
    public let credentials: EditionCredentials

    public init(_ credentials: EditionCredentials) {
        self.credentials = credentials
    }

    /// Reads the form that ``text`` writes; nil for anything else.
    init?(_ text: some Collection<UInt8>) {
        // A salt holds no dot (DESIGN "Edition credentials"), so the first one divides. No pair is longer than this.
        guard text.count <= 256, let dot = text.firstIndex(of: UInt8(ascii: ".")),
            let userid = String(validating: text[..<dot], as: UTF8.self), !userid.isEmpty,
            let password = String(validating: text[text.index(after: dot)...], as: UTF8.self)
        else { return nil }
        credentials = EditionCredentials(userid: userid, password: password)
    }

    /// The parameter's value; safe in a query as it is.
    public var text: String { "\(credentials.userid).\(credentials.password)" }

    /// The target with the ticket in its query.
    public func added(to target: String) -> String {
        "\(target)\(target.utf8.contains(UInt8(ascii: "?")) ? "&" : "?")\(Self.parameter)=\(text)"
    }

    /// What a request's target offers: the value of every parameter of that name.
    static func offered(in target: String) -> [Substring.UTF8View] {
        // By bytes: to a comparison of characters, a mark with an accent after it is no mark.
        let bytes = target.utf8
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return [] }
        return bytes[bytes.index(after: mark)...].split(separator: UInt8(ascii: "&")).compactMap { pair in
            guard pair.starts(with: parameter.utf8) else { return nil }
            let rest = pair.dropFirst(parameter.utf8.count)
            if rest.isEmpty { return rest }
            return rest.first == UInt8(ascii: "=") ? rest.dropFirst() : nil
        }
    }
}
