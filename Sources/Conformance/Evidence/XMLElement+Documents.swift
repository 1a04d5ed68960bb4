import XML

/// The documents of the calls, as apps read them.
///
/// Source: Pugpig protocol, “Sign in and renew”, “Verify subscription” and “Edition credentials”.
extension XMLElement {
    /// The userid and password of a `<credentials>` element; nil unless both are present and not empty.
    var credentials: (userid: String, password: String)? {
        guard name == "credentials", let userid = child("userid")?.text, let password = child("password")?.text,
            !userid.isEmpty, !password.isEmpty
        else { return nil }
        return (userid, password)
    }

    /// The token of a sign-in. Dovetail's document is accepted too, because the test console accepts it and some
    /// endpoints pass it through.
    ///
    /// Source: Pugpig test endpoint and test console, “Test console checks”.
    var token: String? {
        let element = name == Self.dovetailResponse ? child(Self.dovetailToken) : name == "token" ? self : nil
        guard let text = element?.text, !text.isEmpty, text.utf8.count <= Self.maxTokenLength else { return nil }
        return text
    }

    /// The maximum length of a token in bytes. A longer one fits into no request that a server would read.
    private static let maxTokenLength = 64 << 10

    static let dovetailResponse = "result_response"
    static let dovetailToken = "authToken"

    var isRejection: Bool { name == "error" }

    var state: String? { name == "subscription" ? attributes["state"] : nil }

    /// The editions in the list; nil if there is no list.
    var issues: [String]? { child("issues")?.children.filter { $0.name == "issue" }.map(\.text) }

    /// The error inside `<credentials>` or at the root.
    var error: XMLElement? { name == "error" ? self : child("error") }
}
