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

    /// The token of a sign-in.
    var token: String? {
        guard case "token" = name, !text.isEmpty else { return nil }
        return text
    }

    var isRefusal: Bool { name == "error" }

    var state: String? { name == "subscription" ? attributes["state"] : nil }

    /// The editions in the list; nil when there is no list.
    var issues: [String]? { child("issues")?.children.filter { $0.name == "issue" }.map(\.text) }

    /// The error inside `<credentials>`, or as the root.
    var error: XMLElement? { name == "error" ? self : child("error") }
}
