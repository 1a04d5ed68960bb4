/// The decision whether an edition opens.
enum EditionDecision: Sendable {
    case granted
    case rejected(EditionRejection)

    var isRejection: Bool {
        if case .rejected = self { true } else { false }
    }

    /// Returns the decision with its origin in the rejection.
    func settled(by backend: String, _ freshness: Freshness) -> EditionDecision {
        guard case .rejected(var rejection) = self else { return self }
        rejection.backend = backend
        rejection.freshness = freshness
        return .rejected(rejection)
    }
}

/// The rejection of an edition: what the app receives, and the reason.
struct EditionRejection: Sendable {
    let status: CredentialsRejection.Reason?
    /// The message of the subscriber system, if it has one.
    var message: String?
    var reason: RefusalReason
    var backend: String?
    var freshness: Freshness?

    init(_ status: CredentialsRejection.Reason?, message: String? = nil, _ reason: RefusalReason) {
        self.status = status
        self.message = message
        self.reason = reason
    }

    /// Creates the rejection by a subscriber system's own verdict.
    init(verdict status: CredentialsRejection.Reason?, message: String?) {
        let reason: RefusalReason =
            switch status {
            case .rejected: .readerUnknown
            case .expired: .subscriptionStale
            case .notEntitled, nil: .editionDenied
            }
        self.init(status, message: message, reason)
    }

    /// The same rejection for an app that has no session to lose.
    var notEntitled: EditionRejection {
        var rejection = EditionRejection(.notEntitled, message: message, reason)
        rejection.backend = backend
        rejection.freshness = freshness
        return rejection
    }

    /// Returns the rejection of an edition that the catalogue does not list. Its reason is more useful than what the
    /// subscriber system says about such an edition.
    var ofUnknownEdition: EditionRejection {
        var rejection = self
        if [.notIncluded, .editionDenied, .subscriptionLapsed].contains(reason) { rejection.reason = .unknownEdition }
        return rejection
    }
}

extension AuthorizationService {
    /// Returns the message to the reader. Publications that configure no text for the reason have the same text for
    /// all editions that do not open.
    func message(for rejection: EditionRejection, _ context: CallContext) -> String? {
        let general = { self.message(.notEntitled, context) }
        return switch rejection.reason {
        case .unknownEdition: message(.unknownEdition, context) ?? rejection.message ?? general()
        case .notYetPublished: message(.notYetPublished, context) ?? rejection.message ?? general()
        case .subscriptionLapsed: rejection.message ?? message(.lapsed, context) ?? general()
        default: rejection.message ?? general()
        }
    }
}
