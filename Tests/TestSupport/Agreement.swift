public import Foundation
public import Gatefold

/// Whether a verification and edition credentials say the same of a reader: an edition that is not everybody's opens if and
/// only if it is in the list, or the verification says "everything", and it is out.
public enum Agreement {
    /// - Returns: what contradicts, in words; empty where nothing does.
    public static func contradictions(
        of proxy: PublicationProxy, token: String, about editions: [EditionID], at moment: Date
    ) async throws -> [String] {
        let subscription = try await proxy.verify(token: token, Inquiry()).subscription
        let catalogue = proxy.publication.rule.catalogue
        var found: [String] = []
        for edition in editions {
            let isOut = catalogue.isOut(edition, at: moment)
            let isListed: Bool
            switch subscription.entitlement {
            case .allEditions: isListed = isOut
            case .editions(let list):
                isListed = list.contains(edition)
                if isListed, !isOut { found.append("\(edition) is listed and not out") }
            }
            let answer = try await proxy.editionCredentials(token: token, edition: edition.rawValue, Inquiry())
            let isGranted = if case .granted = answer { true } else { false }
            guard isGranted != (isListed || catalogue.isFree(edition, at: moment)) else { continue }
            found.append(
                "\(edition): state \(subscription.state), listed \(isListed), out \(isOut), granted \(isGranted)")
        }
        return found
    }

    /// Eight editions, each of another kind: out, free, of the future, a draft, withdrawn, and unknown to the catalogue.
    public static func catalogue(at moment: Date, prefix: String) -> Catalogue {
        Catalogue([
            Edition(id: id(prefix, "1"), title: "1", published: moment - 300),
            Edition(id: id(prefix, "2"), title: "2", published: moment - 200),
            Edition(id: id(prefix, "b.3"), title: "3", published: moment - 150),
            Edition(id: id(prefix, "free"), title: "Free", published: moment - 100, isFree: true),
            Edition(id: id(prefix, "future"), title: "Future", published: moment + 86_400),
            Edition(id: id(prefix, "later"), title: "Free later", published: moment + 86_400, isFree: true),
            Edition(id: id(prefix, "draft"), title: "Draft", published: moment - 100, isDraft: true),
            Edition(id: id(prefix, "gone"), title: "Gone", published: moment - 400, withdrawn: moment - 10),
        ])
    }

    /// Those of ``catalogue(at:prefix:)``, and one that it does not know.
    public static func editions(prefix: String) -> [EditionID] {
        ["1", "2", "b.3", "free", "future", "later", "draft", "gone", "unknown"].map { id(prefix, $0) }
    }

    private static func id(_ prefix: String, _ name: String) -> EditionID {
        guard let id = EditionID(prefix + name) else { preconditionFailure("\(prefix + name) is no edition") }
        return id
    }
}
