import Commerce

/// The variants of edition credentials for app stores. The raw value is the name behind `edition_credentials/` in
/// the path.
///
/// Source: Store receipts in the Pugpig style, “Overview”.
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

    /// The paths in the router's format.
    var paths: [String] {
        let path = "/\(PugpigCall.editionCredentials.rawValue)/\(rawValue)"
        return [path, "/{publication}\(path)"]
    }

    /// Returns the publication that a path of the call addresses. The spelling must be exact, see
    /// ``PugpigCall/publication(in:)``.
    func publication(in path: String) -> PugpigCall.PublicationSelector? {
        var segments = path.split(separator: "/", omittingEmptySubsequences: false)
        if segments.count > 2, segments.last?.isEmpty == true { segments.removeLast() }
        // The segment before the name is the name of the other call, without an extra slash.
        guard let name = segments.popLast(), name.utf8.elementsEqual(rawValue.utf8), segments.last?.isEmpty == false
        else { return nil }
        return PugpigCall.editionCredentials.publication(in: segments.joined(separator: "/"))
    }
}
