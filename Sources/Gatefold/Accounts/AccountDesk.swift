public import Foundation

/// Readers' accounts in one publication: registration, passwords, what readers say about themselves, and erasure.
///
/// Does no I/O of its own: it asks the publication's backend, a registry where the backend has one, and an account book.
public struct AccountDesk: Sendable {
    public let proxy: PublicationProxy
    public let passwords: PasswordRule
    let book: any AccountBook
    let tickets: PasswordTickets
    /// The lists of the publications in which the reader's sessions end with those here.
    let siblings: [RevocationList]
    /// Counts registrations and requests for tickets.
    let errands: any GuessLimiting
    /// Where purchases are erased.
    let ledger: (any PurchaseLedger)?

    /// - Parameters:
    ///   - secrets: of the publication's tokens; password tickets are sealed under a key of their own derived from them.
    ///   - ticketLifetime: of a ticket for a new password, in seconds.
    ///   - siblings: the lists of the other publications that ask the same registry: a password is one for all of them, so
    ///     what it ends here ends there.
    ///   - errands: the limits of registrations and of requests for tickets, apart from those of sign-ins: whoever has many
    ///     readers behind one address must not keep them out by it.
    ///   - ledger: where a reader's purchases are erased; nil for that of the publication, if it sells at all.
    public init(
        proxy: PublicationProxy, book: any AccountBook, secrets: SecretRing, passwords: PasswordRule = PasswordRule(),
        ticketLifetime: TimeInterval = 3600, siblings: [RevocationList] = [],
        errands: any GuessLimiting = UnlimitedGuesses(), ledger: (any PurchaseLedger)? = nil
    ) {
        self.proxy = proxy
        self.book = book
        self.passwords = passwords
        self.siblings = siblings.filter { $0.publication != proxy.publication.id }
        self.errands = errands
        self.ledger = ledger
        tickets = PasswordTickets(
            publication: proxy.publication.id, secrets: secrets, random: proxy.random, lifetime: ticketLifetime)
    }

    /// Whether readers register here and change their passwords by themselves.
    public var hasRegistry: Bool { proxy.backend.registry != nil }

    /// The account of a reader, made when there is none yet; one that is there takes over another identifier.
    ///
    /// The identifier is the one that the registry knows, where there is one, and never what was typed: mails go to it. A
    /// subscriber system without a registry does not say what it knows, so there it is the folded form that the system was
    /// asked about, and a spelling that such systems take for the same changes nothing.
    ///
    /// - Parameter identifier: what the reader signed in with.
    /// - Throws: ``Unavailable``.
    public func account(of subscriber: Subscriber, identifier typed: String) async throws -> Account {
        var identifier = CredentialFields.fold(typed)
        if let registry = proxy.backend.registry, registry.name == subscriber.backend {
            let known = try await proxy.keep { try await registry.identifier(of: subscriber) }
            identifier = known ?? identifier
        } else if let account = try await account(of: subscriber),
            CredentialFields.isLike(account.details.identifier, identifier)
        {
            return account
        }
        return try await openAccount(of: subscriber, details: AccountDetails(identifier: identifier))
    }

    /// The account of a reader; nil when there is none.
    ///
    /// - Throws: ``Unavailable``.
    public func account(of subscriber: Subscriber) async throws -> Account? {
        try await proxy.keep {
            try await book.account(of: proxy.references.owner(subscriber), in: proxy.publication.id)
        }
    }

    /// The accounts of readers whom purchases name.
    ///
    /// - Throws: ``Unavailable``.
    public func accounts(of owners: [PurchaseOwner]) async throws -> [Account] {
        try await proxy.keep { try await book.accounts(of: owners, in: proxy.publication.id) }
    }

    /// Keeps what a reader says about themselves; the identifier stays what it is.
    ///
    /// - Returns: nil when there is no account, or the details are not acceptable.
    /// - Throws: ``Unavailable``.
    public func change(_ details: AccountDetails, of subscriber: Subscriber) async throws -> Account? {
        guard details.isAcceptable, let account = try await account(of: subscriber) else { return nil }
        var changed = details
        changed.identifier = account.details.identifier
        return try await proxy.keep {
            try await book.change(changed, of: account.owner, in: proxy.publication.id, at: proxy.clock.now)
        }
    }

    /// The numbers of what is for sale, see ``AccountBook/itemNumbers(of:in:)``.
    ///
    /// - Throws: ``Unavailable``.
    public func numbers(of items: [SoldItem]) async throws -> [SoldItem: Int64] {
        guard !items.isEmpty else { return [:] }
        let numbers = try await proxy.keep {
            try await book.itemNumbers(of: items.map(\.name), in: proxy.publication.id)
        }
        return items.reduce(into: [:]) { all, item in all[item] = numbers[item.name] }
    }

    /// What a number that was given out stands for.
    ///
    /// - Throws: ``Unavailable``.
    public func item(numbered number: Int64) async throws -> SoldItem? {
        guard number >= SoldItem.firstAssigned else { return nil }
        return try await proxy.keep {
            try await book.itemName(numbered: number, in: proxy.publication.id)
        }.flatMap { SoldItem(name: $0) }
    }

    func openAccount(of subscriber: Subscriber, details: AccountDetails) async throws -> Account {
        let uuid = UUIDText.random(from: proxy.random)
        return try await proxy.keep {
            try await book.openAccount(
                of: proxy.references.owner(subscriber), in: proxy.publication.id, uuid: uuid, details: details,
                at: proxy.clock.now)
        }
    }
}
