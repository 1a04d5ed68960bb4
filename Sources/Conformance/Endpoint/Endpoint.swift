import OutgoingRequests

/// The calls of the Pugpig security API (PROTOCOLS 1.1); the raw value is the name in the path.
package enum Call: String, Sendable, CaseIterable {
    case signIn = "sign_in"
    case renewToken = "renew_token"
    case verifySubscription = "verify_subscription"
    case editionCredentials = "edition_credentials"
    case signOut = "sign_out"

    /// Whether its answer is an XML document.
    package var hasDocument: Bool { self != .signOut }
}

/// How a call is spelt: apps put a slash at the end and may send a form, the console does neither (PROTOCOLS 1.1).
package enum Spelling: Sendable, CaseIterable {
    case query, queryWithSlash, form, formWithSlash

    package var hasSlash: Bool { self == .queryWithSlash || self == .formWithSlash }
    package var isForm: Bool { self == .form || self == .formWithSlash }
}

/// Where the calls are.
package struct Endpoint: Sendable {
    /// The address the calls are derived from.
    package let root: Address
    /// Calls that have an address of their own, with nothing derived.
    package let own: [Call: Address]

    package init(root: Address, own: [Call: Address] = [:]) {
        self.root = root
        self.own = own
    }

    /// The address of a call, or of anything else below the root.
    package func address(of call: Call, _ spelling: Spelling = .query) -> Address {
        own[call] ?? address(below: call.rawValue + (spelling.hasSlash ? "/" : ""))
    }

    package func address(below name: String) -> Address {
        var address = root
        address.path = (root.path.hasSuffix("/") ? root.path : root.path + "/") + name
        return address
    }
}

extension Address {
    /// The address with further fields in its query.
    func adding(_ fields: [Field]) -> Address {
        guard !fields.isEmpty else { return self }
        var address = self
        address.query = [query, Field.encoded(fields)].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "&")
        return address
    }
}

/// A parameter of a call.
package struct Field: Sendable, Hashable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// As in a query or a form.
    static func encoded(_ fields: [Field]) -> String {
        fields.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
    }
}
