import XML

extension Evidence {
    /// Why what was found may say little: nothing that answers there seems to be an endpoint; nil where something does.
    var doubt: String? {
        let asked = direct.filter { $0.probe.call?.hasDocument == true && $0.answer != nil }
        let isEndpoint = asked.contains { exchange in
            (exchange.root?.name).map { Self.roots.contains($0) } ?? false
        }
        guard !asked.isEmpty, !isEndpoint else { return nil }
        return "No call was answered with a document of the protocol: are the calls below \(endpoint.root)?"
    }

    private static let roots: Set = ["token", "error", "subscription", "credentials", XMLElement.dovetailAnswer]
}
