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

    /// Of whom nothing more was asked than to sign in, although that was to succeed; nil where there is nobody.
    var unsigned: String? {
        let tried = Set(exchanges(.signIn, .ordinary).compactMap(\.probe.reader))
        let names = cases.readers.filter { tried.contains($0.name) && tokens[$0.name] == nil }.map(\.name)
        guard !names.isEmpty else { return nil }
        return "Not signed in, so that nothing else of the case was judged: \(names.joined(separator: ", "))"
    }

    private static let roots: Set = ["token", "error", "subscription", "credentials", XMLElement.dovetailAnswer]
}
