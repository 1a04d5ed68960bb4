import XML

extension Evidence {
    /// A warning that the results may mean little, because no response looks like one of an endpoint; nil
    /// otherwise.
    var reportWarning: String? {
        let requested = direct.filter { $0.probe.call?.hasDocument == true && $0.response != nil }
        let isEndpoint = requested.contains { exchange in
            (exchange.root?.name).map { Self.roots.contains($0) } ?? false
        }
        guard !requested.isEmpty, !isEndpoint else { return nil }
        return "No call returned a document of the protocol. Are the calls below \(endpoint.root)?"
    }

    /// A warning that names the readers whose expected sign-in failed, so that no further call was made for them;
    /// nil if there are none.
    var unsigned: String? {
        let tried = Set(exchanges(.signIn, .ordinary).compactMap(\.probe.reader))
        let names = cases.readers.filter { tried.contains($0.name) && tokens[$0.name] == nil }.map(\.name)
        guard !names.isEmpty else { return nil }
        return "Not signed in, so the rest of the case was not judged: \(names.joined(separator: ", "))"
    }

    private static let roots: Set = ["token", "error", "subscription", "credentials", XMLElement.dovetailResponse]
}
