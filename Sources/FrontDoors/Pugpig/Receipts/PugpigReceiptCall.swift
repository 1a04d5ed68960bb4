import Gatefold

/// The variants of edition credentials for app stores (PROTOCOLS 1.6); the raw value is the name behind
/// `edition_credentials/` in the path.
enum PugpigReceiptCall: String, CaseIterable, Sendable {
    case itunes
    case google
    case amazon

    var kind: StoreKind {
        switch self {
        case .itunes: .apple
        case .google: .google
        case .amazon: .amazon
        }
    }

    /// As for the router.
    var paths: [String] {
        let path = "/\(PugpigCall.editionCredentials.rawValue)/\(rawValue)"
        return [path, "/{publication}\(path)"]
    }

    /// Whether this is a path of the call, spelt exactly, see ``PugpigCall/publication(in:)``.
    func publication(in path: String) -> PugpigCall.Addressed? {
        var segments = path.split(separator: "/", omittingEmptySubsequences: false)
        if segments.count > 2, segments.last?.isEmpty == true { segments.removeLast() }
        // The segment before it is the other call's name, and no slash too many.
        guard let name = segments.popLast(), name.utf8.elementsEqual(rawValue.utf8), segments.last?.isEmpty == false
        else { return nil }
        return PugpigCall.editionCredentials.publication(in: segments.joined(separator: "/"))
    }
}
