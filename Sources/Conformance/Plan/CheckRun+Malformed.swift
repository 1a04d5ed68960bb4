extension CheckRun {
    /// Sends requests that no app sends to the calls that return tokens, states or credentials.
    func checkMalformed(_ prober: Prober) async throws {
        let names = cases.readers.lazy.compactMap(\.signIn).first?.map(\.name) ?? ["username", "password"]
        let calls: [(Call, [String])] = [
            (.signIn, names), (.renewToken, ["token"]), (.verifySubscription, ["token"]),
            (.editionCredentials, ["token", "product_id"]),
        ]
        for malformedInput in MalformedInput.allCases {
            for (call, names) in calls {
                try await sendAndVerify(malformed(malformedInput, call, names), prober)
            }
        }
    }

    private func malformed(_ malformedInput: MalformedInput, _ call: Call, _ names: [String]) -> Probe {
        var probe = Probe(.malformed(malformedInput), endpoint.address(of: call), call: call)
        func query(_ values: [String]) {
            let pairs = names.flatMap { name in values.map { "\(name)=\($0)" } }.joined(separator: "&")
            probe.target = Array("\(probe.address.target)\(probe.address.query == nil ? "?" : "&")\(pairs)".utf8)
        }
        switch malformedInput {
        case .escapes: query(["%zz%u0041%"])
        case .nul: query(["a%00b"])
        case .encoding: query(["%c0%ae%ff%fe%ed%a0%80"])
        case .duplicates: query([made("first"), made("second")])
        case .markup:
            query(["%22--%3E%3Csubscription%20state%3D%22active%22%2F%3E%5D%5D%3E%26%3Cx%20y%3D'%3C!--"])
        case .length:
            let long = String(repeating: "a", count: 100_000)
            probe.sendForm(Array(names.map { "\($0)=\(long)" }.joined(separator: "&").utf8))
        case .body:
            probe.method = "POST"
            probe.headers.append(Field("Content-Type", "application/json"))
            probe.body = Array("{\"token\": [\u{1}".utf8)
        }
        return probe
    }
}
