public import Gatefold

/// What a token is worth at a moment.
public enum TokenStanding: Sendable, Equatable {
    case missing
    /// None of this publication's.
    case unreadable
    /// Its session was ended.
    case ended
    case good
    /// Expired, and may be renewed.
    case renewable
    case expired
}

/// What there is to hear of the subscriber system.
public enum Heard<Word: Sendable>: Sendable {
    /// It says so, or said so so lately that it counts as said now.
    case said(Word)
    /// It can not be asked; this is the last good thing that it said.
    case standsIn(Word)
    /// It can not be asked.
    case nobody

    public var word: Word? {
        switch self {
        case .said(let word), .standsIn(let word): word
        case .nobody: nil
        }
    }

    /// Whether it was said before the house could not be asked any more.
    public var isEarlier: Bool {
        if case .standsIn = self { true } else { false }
    }

    public func map<Other>(_ change: (Word) throws -> Other) rethrows -> Heard<Other> {
        switch self {
        case .said(let word): .said(try change(word))
        case .standsIn(let word): .standsIn(try change(word))
        case .nobody: .nobody
        }
    }
}

/// The right answer to a verification.
public enum ModelVerification: Sendable, Equatable {
    case told(SubscriptionState, Entitlement)
    /// Nobody can say: the app keeps what it knows.
    case comeBack
}

/// The right answer to a request for edition credentials.
public enum ModelCredentials: Sendable, Equatable {
    case granted
    /// For minutes, because nobody can say.
    case grantedForNow
    case refused(CredentialsRefusal.Reason?)
    case comeBack
}
