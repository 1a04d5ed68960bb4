/// The purpose of a request. The rules select the exchanges that they judge by it.
package enum ProbePurpose: Sendable, Hashable {
    /// A call as apps make it, for a reader of the cases.
    case ordinary
    /// A call whose subscriber system is known to be unavailable.
    case failing
    /// A sign-in of an unknown reader.
    case unknownReader
    /// A sign-in of a known reader with another value in place of the proof.
    case wrongProof
    /// A renewal, and the verification of the new token.
    case renewal, renewed
    /// The same renewal in all spellings, the plain one included. A token may be valid for a single renewal; the
    /// endpoint then rejects all of these renewals alike.
    case renewalAgain
    /// Credentials for an edition that the reader does not hold.
    case notEntitled
    case forgedToken, missingToken, missingProduct
    /// A path below the endpoint that is no call, and one that looks like a file behind a call.
    case unknownPath, fileBehindCall
    /// PATCH. A server that does not support it takes no action, and the body is empty.
    case otherMethod
    case head
    case malformed(MalformedInput)
    /// One half of a pair whose times are compared.
    case timed(isKnown: Bool)
    /// A call through a shared cache.
    case viaSharedCache
    case gate(GateAttempt)

    /// A Boolean value that indicates whether the request goes directly to the endpoint, without a known
    /// intermediary and without timing.
    var isDirect: Bool {
        switch self {
        case .viaSharedCache, .gate, .timed: false
        default: true
        }
    }
}

/// A fault in a client's request.
///
/// Source: Pitfall 13, “Injection into the subscriber system”, and Pitfall 15, “Request smuggling and parser
/// exhaustion”.
package enum MalformedInput: String, Sendable, CaseIterable {
    case escapes, nul, encoding, length, duplicates, markup, body

    package var title: String {
        switch self {
        case .escapes: "malformed percent escapes"
        case .nul: "NUL bytes"
        case .encoding: "bytes that are not UTF-8"
        case .length: "overlong parameters"
        case .duplicates: "repeated parameters"
        case .markup: "markup in parameters"
        case .body: "a body that does not match its Content-Type"
        }
    }
}

/// An attempt to open a file behind the gate.
package enum GateAttempt: Sendable, Hashable {
    /// The right credentials, for the whole file, a part of it or a HEAD request.
    case granted, grantedPart, grantedHead
    case noCredentials
    /// A part of the file or a HEAD request, without credentials.
    case partWithoutCredentials, headWithoutCredentials
    case otherEdition
    /// A wrong or empty pair of userid and password. The text describes the fault.
    case wrongPair(String)
    /// Another spelling of the path with another edition's credentials.
    case pathConfusion(String)
    /// A client that claims to need no credentials.
    case privileged(String)

    /// The length of the requested part, in bytes.
    static let partLength = 16

    /// A Boolean value that indicates whether the gate should deny the attempt.
    var isRejection: Bool {
        switch self {
        case .granted, .grantedPart, .grantedHead: false
        default: true
        }
    }
}
