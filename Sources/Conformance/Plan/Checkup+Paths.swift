extension Checkup {
    var unknownPath: Probe {
        Probe(.unknownPath, endpoint.address(below: made("no-such-call-")))
    }

    /// What is no call, and what is no method of one.
    func askPaths(_ prober: Prober) async throws {
        var deception = endpoint.address(of: .verifySubscription)
        deception.path += "/x.css"
        try await prober.ask(Probe(.fileBehindCall, deception, call: .verifySubscription))
        for call in Call.allCases {
            var probe = Probe(.otherMethod, endpoint.address(of: call), call: call)
            probe.method = "PATCH"
            probe.body = []
            try await prober.ask(probe)
        }
        // What signing out nobody is answered: a real token is never signed out.
        try await prober.ask(
            Probe(.forgedToken, .signOut, [Field("token", made("forged"))], at: endpoint))
    }
}
