extension String {
    /// Returns a sample's configuration with another publication and a backend of the same name.
    ///
    /// - Parameters:
    ///   - backend: The settings of the backend, in one line.
    ///   - more: Settings of the publication, in lines indented by at least four spaces.
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
