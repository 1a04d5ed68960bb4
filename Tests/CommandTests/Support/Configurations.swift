extension String {
    /// A sample's configuration with one publication more, and a backend of the same name that it asks.
    ///
    /// - Parameters:
    ///   - backend: its settings, in one line.
    ///   - more: settings of the publication, in lines of four spaces and more.
    func adding(publication name: String, backend: String, _ more: String = "") -> String {
        let (backends, publications) = ("  made-up: {kind: test}\n", "  test:\n    test: true\n")
        let publication = """
              \(name):
                backend: \(name)
                credentials: {identifier: email, proofs: [password]}
                policy: issue
                secrets: [{file: secrets/daily-next}]

            """
        return replacing(backends, with: "\(backends)  \(name): \(backend)\n")
            .replacing(publications, with: publication + more + publications)
    }
}
