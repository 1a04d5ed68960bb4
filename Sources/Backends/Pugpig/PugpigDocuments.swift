import Foundation
import Gatefold
import OutgoingRequests
import Primitives
import XML

/// A strict reader of another endpoint's responses. A document that does not follow the protocol exactly is a
/// failure.
///
/// Source: Pitfall 9, “Outage and rejection confused”.
enum PugpigDocuments {
    enum Token: Equatable, Sendable {
        case token(String, opensFeed: Bool)
        case rejected(message: String?)
    }

    /// Reads the response to a sign-in or a renewal.
    ///
    /// Source: Pugpig protocol, “Sign in and renew”. For `/result_response/authToken`: Pugpig test endpoint and
    /// test console, “Test console checks”.
    static func token(_ response: OutboundResponse) throws -> Token {
        let root = try root(response)
        switch root.name {
        case "token":
            // White space inside a token may be significant.
            guard root.children.isEmpty, !isBlank(root.text) else { throw PugpigFailure.unexpectedDocument }
            return .token(root.text, opensFeed: root.attributes["global_auth_password"]?.isEmpty == false)
        case "result_response":
            guard let token = try leaf("authToken", in: root) else { throw PugpigFailure.unexpectedDocument }
            return .token(token, opensFeed: false)
        case "error": return .rejected(message: message(root))
        default: throw PugpigFailure.unexpectedDocument
        }
    }

    static func subscription(_ response: OutboundResponse) throws -> Subscription {
        let root = try root(response)
        // An unknown attribute may indicate a failure.
        guard root.name == "subscription", Set(root.attributes.keys).isSubset(of: ["state", "message"]),
            !root.hasQualifiedAttributes, let value = root.attributes["state"],
            let state = SubscriptionState(rawValue: value)
        else { throw PugpigFailure.unexpectedDocument }
        return Subscription(
            state: state, message: message(root), entitlement: try entitlement(root, state), userInfo: userInfo(root))
    }

    static func verdict(_ response: OutboundResponse) throws -> EditionVerdict {
        let root = try root(response)
        if root.name == "error" { return rejection(root) }
        guard root.name == "credentials" else { throw PugpigFailure.unexpectedDocument }
        if let error = root.child("error") { return rejection(error) }
        // Endpoints add their own elements. They are ignored unless they may be a denial.
        guard try leaf("userid", in: root) != nil, try leaf("password", in: root) != nil, holdsElementsOnly(root) else {
            throw PugpigFailure.unexpectedDocument
        }
        return .granted
    }

    /// Returns the root element of a response. A response with `Retry-After` says nothing about the reader: the
    /// endpoint is busy, throttles Gatefold, or failed to query its own system.
    private static func root(_ response: OutboundResponse) throws -> XMLElement {
        guard response.status == 200 else { throw PugpigFailure.status(response.status) }
        guard response.values("Retry-After").isEmpty else { throw PugpigFailure.retryLater }
        let document: XMLDocument
        do {
            document = try XMLDocument(parsing: response.body)
        } catch {
            throw PugpigFailure.notXML
        }
        // A processing instruction is left by a program that did not run, and an element with a namespace belongs
        // to another protocol.
        guard !document.hasInstructions, document.root.namespace.isEmpty else { throw PugpigFailure.unexpectedDocument }
        return document.root
    }

    /// Reads the issue list. A missing list means everything for an active subscription and nothing for others. A
    /// present list means its editions.
    ///
    /// A list counts as missing only if the whole document is understood. An unknown element, text or an
    /// instruction may be the endpoint's form of a list or of a failure.
    ///
    /// Source: Pugpig protocol, “List of issues”. Pitfall 1, “A missing issue list read as everything”. Pitfall 38,
    /// “A wire value that means everything”.
    private static func entitlement(_ root: XMLElement, _ state: SubscriptionState) throws -> Entitlement {
        let lists = root.children.filter { $0.name == "issues" }
        let info = root.children.filter { $0.name == "userinfo" }
        guard lists.count <= 1, info.count <= 1, lists.count + info.count == root.children.count,
            holdsElementsOnly(root), (lists + info).allSatisfy(\.namespace.isEmpty),
            info.allSatisfy({ holds($0, only: "category", isText: false) })
        else { throw PugpigFailure.unexpectedDocument }
        guard let list = lists.first else { return state == .active ? .allEditions : .editions([]) }
        guard holds(list, only: "issue", isText: true) else { throw PugpigFailure.unexpectedDocument }
        var editions: Set<EditionID> = []
        for issue in list.children {
            guard let edition = EditionID(trimmed(issue.text)) else { throw PugpigFailure.unexpectedDocument }
            editions.insert(edition)
        }
        return .editions(editions)
    }

    private static func holdsElementsOnly(_ element: XMLElement) -> Bool {
        trimmed(element.text).isEmpty && !element.hasInstructions
    }

    /// Returns whether an element contains only childless elements with the given name.
    ///
    /// - Parameter isText: A Boolean value that indicates whether the child elements may contain text.
    private static func holds(_ element: XMLElement, only name: String, isText: Bool) -> Bool {
        holdsElementsOnly(element)
            && element.children.allSatisfy { child in
                child.name == name && child.namespace.isEmpty && child.children.isEmpty && !child.hasInstructions
                    && (isText || trimmed(child.text).isEmpty)
            }
    }

    /// Returns the text of the only element with the given name, or `nil` if there is none or it is blank.
    ///
    /// - Throws: ``PugpigFailure/unexpectedDocument`` if there are several such elements, if they contain elements,
    ///   or if an element is named `error` in any case, which indicates a failure.
    private static func leaf(_ name: String, in root: XMLElement) throws -> String? {
        let found = root.children.filter { $0.name == name }
        guard found.count <= 1, found.allSatisfy(\.children.isEmpty), found.allSatisfy(\.namespace.isEmpty),
            !root.children.contains(where: { $0.name.lowercased() == "error" })
        else { throw PugpigFailure.unexpectedDocument }
        return found.first.flatMap { isBlank($0.text) ? nil : $0.text }
    }

    /// Reads the user information. Depending on the endpoint, the value is in `term` or in `value`.
    private static func userInfo(_ root: XMLElement) -> [UserInfoCategory] {
        (root.child("userinfo")?.children ?? []).compactMap { category in
            guard category.name == "category", let scheme = category.attributes["scheme"],
                let value = category.attributes["term"] ?? category.attributes["value"]
            else { return nil }
            return UserInfoCategory(scheme: scheme, value: value)
        }
    }

    private static func rejection(_ error: XMLElement) -> EditionVerdict {
        let status = error.attributes["status"] ?? ""
        let reason = status.isEmpty ? nil : CredentialsRejection.Reason(rawValue: status) ?? .notEntitled
        return .rejected(reason, message: message(error))
    }

    private static func message(_ element: XMLElement) -> String? {
        element.attributes["message"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the text without leading and trailing white space of XML 1.0, section 2.3. Other invisible
    /// characters count as text, which may be the remainder of a failure.
    private static func trimmed(_ text: String) -> String { text.trimmingCharacters(in: whiteSpace) }

    private static let whiteSpace = CharacterSet(charactersIn: " \t\r\n")

    /// Returns whether the text has no visible character, so that it is neither a token nor a part of credentials.
    private static func isBlank(_ text: String) -> Bool {
        text.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty
    }
}

/// The reason for a failure of another endpoint, apart from the connection.
enum PugpigFailure: BackendFailure, Equatable {
    case status(Int)
    case notXML
    case unexpectedDocument
    case retryLater

    var cause: String {
        switch self {
        case .status(let status): "the endpoint responded with status \(status)"
        case .notXML: "the endpoint's response is not XML"
        case .unexpectedDocument: "the endpoint's response does not follow the protocol"
        case .retryLater: "the endpoint requests a retry later"
        }
    }
}
