import XML

/// The answers of the calls, as the apps read them (PROTOCOLS 1.2 and 1.4).
extension XMLElement {
    /// The pair of a `<credentials>` that gives one: both parts are there and not empty.
    var credentials: (userid: String, password: String)? {
        guard name == "credentials", let userid = child("userid")?.text, let password = child("password")?.text,
            !userid.isEmpty, !password.isEmpty
        else { return nil }
        return (userid, password)
    }

    /// The token of a sign-in; the console also takes Dovetail's answer, which endpoints in front of it pass through (PROTOCOLS 1.4).
    var token: String? {
        let element = name == Self.dovetailAnswer ? child(Self.dovetailToken) : name == "token" ? self : nil
        guard let text = element?.text, !text.isEmpty, text.utf8.count <= Self.longestToken else { return nil }
        return text
    }

    /// In bytes. A longer one fits into no request that a server would read.
    private static let longestToken = 64 << 10

    static let dovetailAnswer = "result_response"
    static let dovetailToken = "authToken"

    var isRefusal: Bool { name == "error" }

    var state: String? { name == "subscription" ? attributes["state"] : nil }

    /// The editions in the list; nil when there is no list.
    var issues: [String]? { child("issues")?.children.filter { $0.name == "issue" }.map(\.text) }

    /// The error inside `<credentials>`, or as the root.
    var error: XMLElement? { name == "error" ? self : child("error") }
}
