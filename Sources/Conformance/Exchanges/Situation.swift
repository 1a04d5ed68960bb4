/// Why a request is made: the rules choose by it what they look at.
package enum Situation: Sendable, Hashable {
    /// A call as apps make it, for a reader of the cases.
    case ordinary
    /// A call whose subscriber system is known to be unable to answer.
    case failing
    /// A sign-in of nobody.
    case unknownReader
    /// A sign-in of a known reader with something else in place of the proof.
    case wrongProof
    /// A renewal, and the verification of what it gave.
    case renewal, renewed
    /// The same renewal by all spellings, the plain one among them: a token may be good for one renewal and no more, and then all of
    /// these are refused alike.
    case renewalAgain
    /// Credentials for an edition that the reader does not hold.
    case unheld
    case forgedToken, missingToken, missingProduct
    /// A path below the endpoint that is no call, and one that looks like a file behind a call.
    case unknownPath, fileBehindCall
    /// PATCH: no server that is not made for it does anything on it, least of all where nothing is in it.
    case otherMethod
    case head
    case malformed(Malformation)
    /// One half of a pair whose times are compared.
    case timed(isKnown: Bool)
    /// A call by way of a shared cache.
    case throughCache
    case gate(GateAttempt)

    /// Whether it is a question to the endpoint itself, with nothing known in between and no stopwatch running.
    var isDirect: Bool {
        switch self {
        case .throughCache, .gate, .timed: false
        default: true
        }
    }
}

/// What can be wrong with what a client sends (PITFALLS rows 13 and 15).
package enum Malformation: String, Sendable, CaseIterable {
    case escapes, nul, encoding, length, duplicates, markup, body

    package var title: String {
        switch self {
        case .escapes: "broken percent-escapes"
        case .nul: "NUL bytes"
        case .encoding: "bytes that are no UTF-8"
        case .length: "overlong parameters"
        case .duplicates: "parameters that stand twice"
        case .markup: "markup in its parameters"
        case .body: "a body of another kind than it says"
        }
    }
}

/// How the gate is tried.
package enum GateAttempt: Sendable, Hashable {
    /// The right credentials, for all of the file, a part of it or its head.
    case granted, grantedPart, grantedHead
    case noCredentials
    /// A part of the file, or its head, without credentials.
    case partWithoutCredentials, headWithoutCredentials
    case otherEdition
    /// A pair that is nearly right or nothing at all; the text says how.
    case wrongPair(String)
    /// Another spelling of the path with another edition's credentials.
    case pathTrick(String)
    /// A client that says it is somebody who needs no credentials.
    case privileged(String)

    /// How long the part is that is asked for, in bytes.
    static let partLength = 16

    /// Whether it is to be refused.
    var isRefusal: Bool {
        switch self {
        case .granted, .grantedPart, .grantedHead: false
        default: true
        }
    }
}
