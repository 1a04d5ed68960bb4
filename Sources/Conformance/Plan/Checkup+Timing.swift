extension Checkup {
    /// Asks for a known reader with a wrong proof and for nobody by turns, always with the same words: whoever counts
    /// guesses counts the same wrong proof once.
    func askTimed(_ prober: Prober) async throws {
        guard options.timedPairs > 0, let known = cases.readers.first(where: \.triesWrongProof),
            let fields = known.signIn, let wrong = wrong(fields, of: known, made("wrong"))
        else { return }
        let word = wrong.first { $0.name == cases.proofName }?.value ?? ""
        let nobody = unknown(wrong, word)
        for pair in 0..<options.timedPairs {
            // The first of a pair has another place in the server's rhythm than the second.
            let order = pair.isMultiple(of: 2) ? [true, false] : [false, true]
            for isKnown in order {
                let asked = isKnown ? wrong : nobody
                try await prober.ask(Probe(.timed(isKnown: isKnown), .signIn, asked, .form, at: endpoint))
            }
        }
    }
}
