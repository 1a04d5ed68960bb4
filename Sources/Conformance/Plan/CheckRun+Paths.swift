extension CheckRun {
    var unknownPath: Probe {
        Probe(.unknownPath, endpoint.address(below: made("no-such-call-")))
    }

    /// Requests paths that are no calls, and calls with a method that they do not support.
    func checkPaths(_ prober: Prober) async throws {
        var deception = endpoint.address(of: .verifySubscription)
        deception.path += "/x.css"
        try await prober.send(Probe(.fileBehindCall, deception, call: .verifySubscription))
        for call in Call.allCases {
            var probe = Probe(.otherMethod, endpoint.address(of: call), call: call)
            probe.method = "PATCH"
            probe.body = []
            try await prober.send(probe)
        }
        // Sign-out is tried with a made-up token, because the check never signs a real token out.
        try await prober.send(
            Probe(.forgedToken, .signOut, [Field("token", made("forged"))], at: endpoint))
    }
}
