import Foundation
import Gatefold
import InPlayer

/// Recognises the accounts of an InPlayer merchant, and asks what each has access to.
///
/// An account's tokens are sealed inside ours. They are refreshed when they end, once for all who ask at the same time.
///
/// It has no verdicts on single editions: the subscription names all that the account's items open, so that what a
/// verification lists and what edition credentials open are the same.
struct InPlayerBackend: SubscriberBackend {
    let name: String
    private let settings: InPlayerSettings
    private let services: BackendServices
    private let sessions: InPlayerSessions
    private let memory: ItemMemory
    private let open: @Sendable (MemorySessionStorage) -> InPlayerClient

    init(name: String, settings: InPlayerSettings, transport: any InPlayerTransport, services: BackendServices) {
        self.name = name
        self.settings = settings
        self.services = services
        let clock = services.clock
        open = { storage in
            InPlayerClient(
                merchant: settings.merchant, environment: settings.environment, storage: storage, transport: transport,
                now: { clock.now })
        }
        sessions = InPlayerSessions(most: settings.sessions, open: open)
        memory = ItemMemory(lifetime: settings.itemCache, clock: clock)
    }

    func recognise(_ credentials: Credentials, inquiry: Inquiry) async throws -> Recognition {
        // A blank is nobody's (PITFALLS row 14), and neither is what ends a text elsewhere.
        guard let password = credentials[settings.passwordField],
            [credentials.identifier, password].allSatisfy({ text in
                !text.allSatisfy(\.isWhitespace) && !text.utf8.contains(0)
                    && text.utf8.count <= CredentialFields.longestField
            })
        else { return .notRecognised(message: nil) }
        let storage = MemorySessionStorage()
        let client = open(storage)
        let session: StoredSession
        do throws(InPlayerError) {
            session = try await client.accounts.signIn(credentials.identifier, password: password)
        } catch .refused(let fault) where fault.isAboutCredentials {
            return .notRecognised(message: nil)
        } catch {
            throw error.meaning()
        }
        let account: InPlayer.Account
        if let told = session.account {
            account = told
        } else {
            do throws(InPlayerError) {
                account = try await client.accounts.current()
            } catch {
                // A token that is not taken right after it was given says nothing of the reader.
                let meaning = error.meaning()
                throw meaning is InPlayerSessionOver ? InPlayerFailure.status(401, item: nil) : meaning
            }
        }
        let id = Base64URL.encode(services.random.bytes(12))
        // Asking for the account may have brought other tokens.
        return .recognised(try subscriber(account, InPlayerSession(id: id, storage.load() ?? session)))
    }

    func subscription(of subscriber: Subscriber, inquiry: Inquiry) async throws -> Subscription {
        guard let session = session(of: subscriber) else { return Subscription(state: .unknown) }
        return try await inSession(session, over: Subscription(state: .unknown)) { seat in
            let access = access(of: subscriber, seat)
            let items = settings.items.all
            let held: Set<Int>
            switch settings.access {
            case .items:
                held = try await access.held(
                    of: Set(items + settings.subscriptionItems).sorted(), atOnce: settings.atOnce)
            case .history: held = try await access.purchased()
            }
            let deciding = settings.subscriptionItems.isEmpty ? items : settings.subscriptionItems
            return settings.items.subscription(held, isActive: !held.isDisjoint(with: deciding))
        }
    }

    /// Asks whether the account is still there, which refreshes its tokens where need be, and seals those of this moment.
    func renew(_ subscriber: Subscriber, inquiry: Inquiry) async throws -> Recognition {
        guard let session = session(of: subscriber) else { return .notRecognised(message: nil) }
        return try await inSession(session, over: .notRecognised(message: nil)) { seat in
            let account: InPlayer.Account
            do throws(InPlayerError) {
                account = try await seat.client.accounts.current()
            } catch {
                throw error.meaning()
            }
            guard let renewed = seat.session else { throw InPlayerSessionOver() }
            let found = try self.subscriber(account, renewed)
            // Somebody else's tokens are not this reader's.
            guard found.key == subscriber.key else { throw InPlayerFailure.notUnderstood(item: nil) }
            return .recognised(found)
        }
    }

    func signOut(_ subscriber: Subscriber, inquiry: Inquiry) async throws {
        guard let session = session(of: subscriber) else { return }
        let seat = sessions.seat(of: session)
        defer { sessions.leave(seat) }
        do throws(InPlayerError) {
            try await seat.client.accounts.signOut()
        } catch {
            throw error.meaning()
        }
    }

    /// What a merchant asks of new accounts is told to anybody; a refusal of the service's own is an answer, too.
    func health() async throws {
        do throws(InPlayerError) {
            _ = try await open(MemorySessionStorage()).accounts.registrationFields()
        } catch .refused(let fault) where (400..<500).contains(fault.status) && ![408, 429].contains(fault.status) {
            return
        } catch {
            throw error.meaning()
        }
    }
}

extension InPlayerBackend {
    /// - Parameter answer: where the session at the service is over.
    private func inSession<Answer: Sendable>(
        _ session: InPlayerSession, over answer: Answer, _ ask: (InPlayerSessions.Seat) async throws -> Answer
    ) async throws -> Answer {
        let seat = sessions.seat(of: session)
        do {
            return try await ask(seat)
        } catch is InPlayerSessionOver {
            sessions.leave(seat)
            return answer
        }
    }

    private func access(of subscriber: Subscriber, _ seat: InPlayerSessions.Seat) -> AccountAccess {
        AccountAccess(account: subscriber.key, seat: seat, memory: memory, clock: services.clock)
    }

    private func session(of subscriber: Subscriber) -> InPlayerSession? {
        guard subscriber.backend == name else { return nil }
        return subscriber.upstreamSession.flatMap { InPlayerSession($0) }
    }

    /// The account's key is its UUID, or its number where it has none.
    private func subscriber(_ account: InPlayer.Account, _ session: InPlayerSession) throws(InPlayerFailure)
        -> Subscriber
    {
        let uuid = account.uuid?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        let key = uuid.isEmpty ? String(account.id) : uuid
        guard key.utf8.count <= 128 else { throw .notUnderstood(item: nil) }
        return Subscriber(backend: name, key: key, upstreamSession: try session.text())
    }
}
