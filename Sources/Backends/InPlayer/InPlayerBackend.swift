import Accounts
import Foundation
import Gatefold
import InPlayer
import Primitives

/// A backend that authenticates the accounts of an InPlayer merchant and queries their access.
///
/// The account's tokens are sealed inside Gatefold's tokens. An expired token is refreshed once for all concurrent
/// callers.
///
/// The backend has no verdicts on single editions. The subscription lists everything that the account's items open,
/// so that a verification and edition credentials agree.
struct InPlayerBackend: RenewingBackend, SigningOutBackend {
    let name: String
    private let settings: InPlayerSettings
    private let services: BackendServices
    private let sessions: InPlayerSessions
    private let cache: ItemAccessCache
    private let open: @Sendable (InMemorySessionStorage) -> InPlayerClient

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
        sessions = InPlayerSessions(limit: settings.sessions, open: open)
        cache = ItemAccessCache(lifetime: settings.itemCache, clock: clock)
    }

    func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<AuthenticationResult> {
        // Blank values, NULs and oversized values cannot belong to any account. A NUL would end the string in other
        // programs.
        //
        // Source: Pitfall 14, “Empty passwords and blank fields that succeed”.
        guard let password = credentials[settings.passwordField],
            [credentials.identifier, password].allSatisfy({ text in
                !text.allSatisfy(\.isWhitespace) && !text.utf8.contains(0)
                    && text.utf8.count <= CredentialFields.maxFieldLength
            })
        else { return .rejected(message: nil) }
        let storage = InMemorySessionStorage()
        let client = open(storage)
        let session: StoredSession
        do throws(InPlayerError) {
            session = try await client.accounts.signIn(credentials.identifier, password: password)
        } catch .rejected(let fault) where fault.concernsCredentials {
            return .rejected(message: nil)
        } catch {
            throw error.meaning()
        }
        let account: InPlayer.Account
        if let reported = session.account {
            account = reported
        } else {
            do throws(InPlayerError) {
                account = try await client.accounts.current()
            } catch {
                // A rejection of a token that was just issued says nothing about the reader.
                let meaning = error.meaning()
                throw meaning is InPlayerSessionExpired ? InPlayerFailure.status(401, item: nil) : meaning
            }
        }
        let id = Base64URL.encode(services.random.bytes(12))
        // The query for the account may have refreshed the tokens.
        return .authenticated(try subscriber(account, InPlayerSession(id: id, storage.load() ?? session)))
    }

    func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        guard let session = session(of: subscriber) else { return Fetched(Subscription(state: .unknown)) }
        return try await inSession(session, onExpiry: Fetched(Subscription(state: .unknown))) { clientSession in
            let access = access(of: subscriber, clientSession)
            let items = settings.items.all
            let held: Set<Int>
            switch settings.access {
            case .items:
                held = try await access.held(
                    of: Set(items + settings.subscriptionItems).sorted(), maxConcurrent: settings.maxConcurrent)
            case .history: held = try await access.purchased()
            }
            let deciding = settings.subscriptionItems.isEmpty ? items : settings.subscriptionItems
            return Fetched(settings.items.subscription(held, isActive: !held.isDisjoint(with: deciding)))
        }
    }

    /// Renews the session: checks that the account still exists, which refreshes its tokens if necessary, and seals
    /// the current tokens.
    func renew(_ subscriber: Subscriber, context: CallContext) async throws -> AuthenticationResult {
        guard let session = session(of: subscriber) else { return .rejected(message: nil) }
        return try await inSession(session, onExpiry: AuthenticationResult.rejected(message: nil)) { clientSession in
            let account: InPlayer.Account
            do throws(InPlayerError) {
                account = try await clientSession.client.accounts.current()
            } catch {
                throw error.meaning()
            }
            guard let renewed = clientSession.session else { throw InPlayerSessionExpired() }
            let found = try self.subscriber(account, renewed)
            // Tokens of another account must not be sealed for this reader.
            guard found.key == subscriber.key else { throw InPlayerFailure.unrecognizedResponse(item: nil) }
            return .authenticated(found)
        }
    }

    func signOut(_ subscriber: Subscriber, context: CallContext) async throws {
        guard let session = session(of: subscriber) else { return }
        let clientSession = sessions.clientSession(of: session)
        defer { sessions.leave(clientSession) }
        do throws(InPlayerError) {
            try await clientSession.client.accounts.signOut()
        } catch {
            throw error.meaning()
        }
    }

    /// Queries the merchant's registration fields, which are public. A rejection by the service itself also proves
    /// that it is available.
    func health() async throws {
        do throws(InPlayerError) {
            _ = try await open(InMemorySessionStorage()).accounts.registrationFields()
        } catch .rejected(let fault) where (400..<500).contains(fault.status) && ![408, 429].contains(fault.status) {
            return
        } catch {
            throw error.meaning()
        }
    }
}

extension InPlayerBackend {
    /// Runs a query in a session of the service.
    ///
    /// - Parameter result: The result if the session is over.
    private func inSession<Value: Sendable>(
        _ session: InPlayerSession, onExpiry result: Value,
        _ operation: (InPlayerSessions.ClientSession) async throws -> Value
    ) async throws -> Value {
        let clientSession = sessions.clientSession(of: session)
        do {
            return try await operation(clientSession)
        } catch is InPlayerSessionExpired {
            sessions.leave(clientSession)
            return result
        }
    }

    private func access(of subscriber: Subscriber, _ clientSession: InPlayerSessions.ClientSession) -> AccountAccess {
        AccountAccess(account: subscriber.key, clientSession: clientSession, cache: cache, clock: services.clock)
    }

    private func session(of subscriber: Subscriber) -> InPlayerSession? {
        guard subscriber.backend == name else { return nil }
        return subscriber.upstreamSession.flatMap { InPlayerSession($0) }
    }

    /// Returns a subscriber whose key is the account's UUID, or its number if it has no UUID.
    private func subscriber(_ account: InPlayer.Account, _ session: InPlayerSession) throws(InPlayerFailure)
        -> Subscriber
    {
        let uuid = account.uuid?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        let key = uuid.isEmpty ? String(account.id) : uuid
        guard key.utf8.count <= 128 else { throw .unrecognizedResponse(item: nil) }
        return Subscriber(backend: name, key: key, upstreamSession: try session.text())
    }
}
