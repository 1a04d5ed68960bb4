public import Foundation
public import Gatefold

/// A check that a verification and edition credentials agree: a restricted edition opens if and only if it is listed,
/// or the verification reports everything and the edition is published.
public enum Agreement {
    /// - Returns: Descriptions of the contradictions, empty for none.
    public static func contradictions(
        of authorizationService: AuthorizationService, token: String, about editions: [EditionID], at timestamp: Date
    ) async throws -> [String] {
        let subscription = try await authorizationService.verify(token: token, CallContext()).subscription
        let catalogue = authorizationService.publication.rule.catalogue
        var found: [String] = []
        for edition in editions {
            let isPublished = catalogue.isPublished(edition, at: timestamp)
            let isListed: Bool
            switch subscription.entitlement {
            case .allEditions: isListed = isPublished
            case .editions(let list):
                isListed = list.contains(edition)
                if isListed, !isPublished { found.append("\(edition) is listed and not out") }
            }
            let response = try await authorizationService.editionCredentials(
                token: token, edition: edition.rawValue, CallContext())
            let isGranted = if case .granted = response { true } else { false }
            guard isGranted != (isListed || catalogue.isFree(edition, at: timestamp)) else { continue }
            found.append(
                "\(edition): state \(subscription.state), listed \(isListed), out \(isPublished), granted \(isGranted)")
        }
        return found
    }

    /// Returns eight editions of different kinds: published, free, future, draft, withdrawn, and unknown to the
    /// catalogue.
    public static func catalogue(at timestamp: Date, prefix: String) -> Catalogue {
        Catalogue([
            Edition(id: id(prefix, "1"), title: "1", published: timestamp - 300),
            Edition(id: id(prefix, "2"), title: "2", published: timestamp - 200),
            Edition(id: id(prefix, "b.3"), title: "3", published: timestamp - 150),
            Edition(id: id(prefix, "free"), title: "Free", published: timestamp - 100, isFree: true),
            Edition(id: id(prefix, "future"), title: "Future", published: timestamp + 86_400),
            Edition(id: id(prefix, "later"), title: "Free later", published: timestamp + 86_400, isFree: true),
            Edition(id: id(prefix, "draft"), title: "Draft", published: timestamp - 100, isDraft: true),
            Edition(id: id(prefix, "gone"), title: "Gone", published: timestamp - 400, withdrawn: timestamp - 10),
        ])
    }

    /// Returns the editions of ``catalogue(at:prefix:)`` and an unknown one.
    public static func editions(prefix: String) -> [EditionID] {
        ["1", "2", "b.3", "free", "future", "later", "draft", "gone", "unknown"].map { id(prefix, $0) }
    }

    private static func id(_ prefix: String, _ name: String) -> EditionID {
        guard let id = EditionID(prefix + name) else { preconditionFailure("\(prefix + name) is no edition") }
        return id
    }
}
