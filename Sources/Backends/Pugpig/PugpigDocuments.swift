import Foundation
import Gatefold
import OutgoingRequests
import XML

/// What another endpoint said, read strictly: what is not exactly an answer of the protocol is none (PITFALLS row 9).
enum PugpigDocuments {
    enum Token: Equatable, Sendable {
        case token(String, opensFeed: Bool)
        case refused(message: String?)
    }

    /// The answer to a sign-in or a renewal (PROTOCOLS 1.2, and 1.4 for `/result_response/authToken`).
    static func token(_ answer: HTTPAnswer) throws -> Token {
        let root = try root(answer)
        switch root.name {
        case "token":
            // A token's own white space may mean something.
            guard root.children.isEmpty, !isBlank(root.text) else { throw PugpigFailure.unexpectedDocument }
            return .token(root.text, opensFeed: root.attributes["global_auth_password"]?.isEmpty == false)
        case "result_response":
            guard let token = try leaf("authToken", in: root) else { throw PugpigFailure.unexpectedDocument }
            return .token(token, opensFeed: false)
        case "error": return .refused(message: message(root))
        default: throw PugpigFailure.unexpectedDocument
        }
    }

    static func subscription(_ answer: HTTPAnswer) throws -> Subscription {
        let root = try root(answer)
        // An attribute that is none of these may be a failure's.
        guard root.name == "subscription", Set(root.attributes.keys).isSubset(of: ["state", "message"]),
            !root.hasQualifiedAttributes, let word = root.attributes["state"],
            let state = SubscriptionState(rawValue: word)
        else { throw PugpigFailure.unexpectedDocument }
        return Subscription(
            state: state, message: message(root), entitlement: try entitlement(root, state), userInfo: userInfo(root))
    }

    static func verdict(_ answer: HTTPAnswer) throws -> EditionVerdict {
        let root = try root(answer)
        if root.name == "error" { return refusal(root) }
        guard root.name == "credentials" else { throw PugpigFailure.unexpectedDocument }
        if let error = root.child("error") { return refusal(error) }
        // Endpoints add elements of their own, so others are passed over, but not what may be a refusal.
        guard try leaf("userid", in: root) != nil, try leaf("password", in: root) != nil, holdsElementsOnly(root) else {
            throw PugpigFailure.unexpectedDocument
        }
        return .granted
    }

    /// An answer that says when to come back is no answer about the reader: the endpoint is busy, throttles us, or could
    /// not ask its own system.
    private static func root(_ answer: HTTPAnswer) throws -> XMLElement {
        guard answer.status == 200 else { throw PugpigFailure.status(answer.status) }
        guard answer.values("Retry-After").isEmpty else { throw PugpigFailure.comeBackLater }
        let document: XMLDocument
        do {
            document = try XMLDocument(parsing: answer.body)
        } catch {
            throw PugpigFailure.notXML
        }
        // An instruction is what a program left that did not run, and an element of a namespace is another protocol's.
        guard !document.hasInstructions, document.root.namespace.isEmpty else { throw PugpigFailure.unexpectedDocument }
        return document.root
    }

    /// Absent is everything for the active and nothing for others; present is what it lists (PROTOCOLS 1.2).
    ///
    /// A list is only absent where all there is is understood: an unknown element, a text or an instruction may be what an
    /// endpoint makes of a list, or of a failure (PITFALLS rows 1 and 38).
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

    /// Whether an element holds nothing but elements of that name, without elements inside.
    ///
    /// - Parameter isText: whether these have a text.
    private static func holds(_ element: XMLElement, only name: String, isText: Bool) -> Bool {
        holdsElementsOnly(element)
            && element.children.allSatisfy { child in
                child.name == name && child.namespace.isEmpty && child.children.isEmpty && !child.hasInstructions
                    && (isText || trimmed(child.text).isEmpty)
            }
    }

    /// The text of the one element of that name; nil where it has none.
    ///
    /// - Throws: where there are several, elements are inside, or a name that differs from `error` in case says that something
    ///   went wrong.
    private static func leaf(_ name: String, in root: XMLElement) throws -> String? {
        let found = root.children.filter { $0.name == name }
        guard found.count <= 1, found.allSatisfy(\.children.isEmpty), found.allSatisfy(\.namespace.isEmpty),
            !root.children.contains(where: { $0.name.lowercased() == "error" })
        else { throw PugpigFailure.unexpectedDocument }
        return found.first.flatMap { isBlank($0.text) ? nil : $0.text }
    }

    /// The value stands in `term` or in `value`, depending on who wrote the endpoint.
    private static func userInfo(_ root: XMLElement) -> [UserInfoCategory] {
        (root.child("userinfo")?.children ?? []).compactMap { category in
            guard category.name == "category", let scheme = category.attributes["scheme"],
                let value = category.attributes["term"] ?? category.attributes["value"]
            else { return nil }
            return UserInfoCategory(scheme: scheme, value: value)
        }
    }

    private static func refusal(_ error: XMLElement) -> EditionVerdict {
        let status = error.attributes["status"] ?? ""
        let reason = status.isEmpty ? nil : CredentialsRefusal.Reason(rawValue: status) ?? .notEntitled
        return .refused(reason, message: message(error))
    }

    private static func message(_ element: XMLElement) -> String? {
        element.attributes["message"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Without the white space of XML 1.0 section 2.3. What else can not be seen is a text, which may be what is left of a failure.
    private static func trimmed(_ text: String) -> String { text.trimmingCharacters(in: whiteSpace) }

    private static let whiteSpace = CharacterSet(charactersIn: " \t\r\n")

    /// Whether nothing in the text can be seen: it is no token, and no half of a pair.
    private static func isBlank(_ text: String) -> Bool {
        text.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty
    }
}

/// Why another endpoint could not be asked, beyond the connection.
enum PugpigFailure: BackendFailure, Equatable {
    case status(Int)
    case notXML
    case unexpectedDocument
    case comeBackLater

    var cause: String {
        switch self {
        case .status(let status): "the endpoint answered with status \(status)"
        case .notXML: "the endpoint's answer is not XML"
        case .unexpectedDocument: "the endpoint's answer is not one of the protocol"
        case .comeBackLater: "the endpoint asks to be asked later"
        }
    }
}
