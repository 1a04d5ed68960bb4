import Foundation

extension AccountDesk {
    /// Sets another password in place of the present one, and signs out all other devices.
    ///
    /// Where it fails half-way the others are signed out, and the password is what it was.
    ///
    /// - Throws: ``AccountRefusal`` or ``Unavailable``.
    public func changePassword(
        token: String, from old: String, to new: String, _ inquiry: Inquiry
    ) async throws {
        let (session, registry) = try registered(token)
        guard passwords.accepts(new) else { throw AccountRefusal.unacceptablePassword }
        let mark = try await prove(old, of: session.subscriber, in: registry, inquiry)
        let holder = proxy.holder(of: session)
        let spared = SparedSession(session: holder.session, issuedAt: holder.issuedAt)
        // Before the password is set: should that fail, or this process end, the worst is that others sign in again.
        try await endSessions(of: session.subscriber, sparing: spared)
        let isSet = try await proxy.keep {
            try await registry.setPassword(new, of: session.subscriber, replacing: mark)
        }
        // Changed meanwhile by somebody else who knew it.
        guard isSet else { throw AccountRefusal.wrongPassword }
        await endLatecomers(of: session.subscriber, sparing: spared)
    }

    /// Leave to set a new password, for whoever reads the mail of this identifier.
    ///
    /// Takes the same time whether or not there is such a subscriber, as far as we can help it: what is told to whoever asks
    /// must be the same, too.
    ///
    /// - Returns: nil when there is no such subscriber.
    /// - Throws: ``AccountRefusal/notOffered``, ``AccountRefusal/throttled(retryAfter:)``, ``Unavailable``.
    public func resetPassword(of identifier: String, _ inquiry: Inquiry) async throws -> PasswordReset? {
        guard let registry = proxy.backend.registry else { throw AccountRefusal.notOffered }
        let folded = CredentialFields.fold(identifier)
        guard !folded.isEmpty, folded.utf8.count <= CredentialFields.longestField else { return nil }
        // Counted apart from sign-ins: whoever asks for a reader's mails must not lock the reader out.
        // Each time as another claim: the same wrong one again would not count against the reader.
        let asked = Credentials(
            identifier: "forgotten password of \(folded)",
            fields: ["request": Hexadecimal.encode(proxy.random.bytes(16))])
        return try await counted(asked, inquiry) {
            guard let subscriber = try await registry.subscriber(identifiedBy: folded),
                let mark = try await registry.passwordMark(of: subscriber)
            else { return (nil, isRight: false) }
            let reset = PasswordReset(
                ticket: try tickets.seal(subscriber, mark: mark, at: proxy.clock.now), identifier: folded,
                account: try await account(of: subscriber))
            return (reset, isRight: false)
        }
    }

    /// Sets a new password by a mailed ticket, once, and signs out all devices.
    ///
    /// Where it fails half-way all are signed out, and the ticket is still good.
    ///
    /// - Returns: the reader's account, where there is one.
    /// - Throws: ``AccountRefusal`` or ``Unavailable``.
    @discardableResult
    public func setPassword(_ password: String, ticket text: String) async throws -> Account? {
        guard let registry = proxy.backend.registry else { throw AccountRefusal.notOffered }
        guard let ticket = tickets.open(text, at: proxy.clock.now), ticket.subscriber.backend == registry.name else {
            throw AccountRefusal.ticketNotGood
        }
        guard passwords.accepts(password) else { throw AccountRefusal.unacceptablePassword }
        // Looked at before anything ends: with a ticket that was used nobody can sign a reader out.
        let present = try await proxy.keep { try await registry.passwordMark(of: ticket.subscriber) }
        guard let present, isEqualInConstantTime(present, ticket.mark) else { throw AccountRefusal.ticketNotGood }
        let known = try await account(of: ticket.subscriber)
        try await endSessions(of: ticket.subscriber)
        let isSet = try await proxy.keep {
            try await registry.setPassword(password, of: ticket.subscriber, replacing: ticket.mark)
        }
        guard isSet else { throw AccountRefusal.ticketNotGood }
        await endLatecomers(of: ticket.subscriber)
        return known
    }

    /// The session of a good token, and the registry that knows its reader.
    func registered(_ token: String) throws(AccountRefusal) -> (Session, any SubscriberRegistry) {
        guard let session = proxy.session(token: token) else { throw .notSignedIn }
        guard let registry = proxy.backend.registry, registry.name == session.subscriber.backend else {
            throw .notOffered
        }
        return (session, registry)
    }

    /// Checks the present password of whoever is signed in, under the limits of sign-in.
    ///
    /// - Returns: the mark of the password that was right.
    func prove(
        _ password: String, of subscriber: Subscriber, in registry: any SubscriberRegistry, _ inquiry: Inquiry
    ) async throws -> [UInt8] {
        let identifier = try await proxy.keep { try await registry.identifier(of: subscriber) }
        // Read first: a password set meanwhile is then not the one that was proven.
        let mark = try await proxy.keep { try await registry.passwordMark(of: subscriber) }
        let fields = proxy.publication.credentialFields
        guard let identifier, let mark,
            let typed = fields.credentials(
                from: [fields.identifier: identifier, registry.passwordField: password])
        else { throw AccountRefusal.wrongPassword }
        let isRight = try await counted(typed, inquiry) {
            let answer = try await proxy.backend.recognise(typed, inquiry: inquiry)
            guard case .recognised(let found) = answer else { return (false, isRight: false) }
            let isSame = found.backend == subscriber.backend && found.key == subscriber.key
            return (isSame, isRight: isSame)
        }
        guard isRight else { throw AccountRefusal.wrongPassword }
        return mark
    }
}
