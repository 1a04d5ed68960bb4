import OutgoingRequests
import Primitives

/// The calls of the Pugpig security API. The raw value is the name in the path.
///
/// Source: Pugpig protocol, “Calls and paths”.
package enum Call: String, Sendable, CaseIterable {
    case signIn = "sign_in"
    case renewToken = "renew_token"
    case verifySubscription = "verify_subscription"
    case editionCredentials = "edition_credentials"
    case signOut = "sign_out"

    /// A Boolean value that indicates whether the response is an XML document.
    package var hasDocument: Bool { self != .signOut }
}

/// The spelling of a call. Apps put a slash at the end and may send a form; the test console does neither.
///
/// Source: Pugpig protocol, “Paths with and without a final slash” and “GET and POST”.
package enum RequestStyle: Sendable, CaseIterable {
    case query, queryWithSlash, form, formWithSlash

    package var hasSlash: Bool { self == .queryWithSlash || self == .formWithSlash }
    package var isForm: Bool { self == .form || self == .formWithSlash }
}

/// The addresses of the calls.
package struct Endpoint: Sendable {
    /// The address from which the calls are derived.
    package let root: Address
    /// The calls that have their own address, which is not derived from the root.
    package let own: [Call: Address]

    package init(root: Address, own: [Call: Address] = [:]) {
        self.root = root
        self.own = own
    }

    /// Returns the address of a call.
    package func address(of call: Call, _ requestStyle: RequestStyle = .query) -> Address {
        own[call] ?? address(below: call.rawValue + (requestStyle.hasSlash ? "/" : ""))
    }

    package func address(below name: String) -> Address {
        var address = root
        address.path = (root.path.hasSuffix("/") ? root.path : root.path + "/") + name
        return address
    }
}

extension Address {
    /// Returns the address with further fields in its query.
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

    /// Returns the fields in the encoding of a query or a form.
    static func encoded(_ fields: [Field]) -> String {
        fields.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
    }
}
