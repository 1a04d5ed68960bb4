public import Foundation

/// A client of a merchant's InPlayer service on one reader's device.
///
/// ```swift
/// let client = InPlayerClient(merchant: InPlayerMerchant(uuid: "528b1b80-5868-4abc-a9b6-4d3455d719c8"))
/// try await client.accounts.signIn("ada@example.com", password: password)
/// let access = try await client.assets.access(to: 43_929)
/// ```
///
/// Copies of a client can be used concurrently. All copies share one session, and an expired token is renewed only
/// once for all concurrent calls.
public struct InPlayerClient: Sendable {
    public let merchant: InPlayerMerchant
    public let environment: InPlayerEnvironment
    let calls: Calls
    let now: @Sendable () -> Date
    let sleep: @Sendable (_ seconds: Double) async throws -> Void

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - merchant: The merchant whose readers use the client.
    ///   - environment: The environment of the service. Default: production.
    ///   - storage: The storage of the session. Default: memory only.
    ///   - transport: The transport of the calls.
    ///   - now: The current date, for the expiry of tokens.
    ///   - sleep: A closure that waits for a number of seconds.
    public init(
        merchant: InPlayerMerchant, environment: InPlayerEnvironment = .production,
        storage: any SessionStorage = InMemorySessionStorage(),
        transport: any InPlayerTransport = HTTPClientTransport(),
        now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (_ seconds: Double) async throws -> Void = {
            try await Task.sleep(for: .seconds($0))
        }
    ) {
        self.merchant = merchant
        self.environment = environment
        self.now = now
        self.sleep = sleep
        let base = environment.services
        let sessionManager = SessionManager(storage: storage, now: now) { token throws(InPlayerError) in
            let request = Endpoint.authentication(merchant, .refresh(token)).request(to: base, token: nil)
            let response: TransportResponse
            do {
                response = try await transport.send(request)
            } catch {
                throw .unreachable(error)
            }
            return try Calls.model(Calls.read(response))
        }
        calls = Calls(base: base, transport: transport, sessionManager: sessionManager)
    }

    /// Operations on the account: sign in, sign out, and changes.
    public var accounts: AccountService { AccountService(calls: calls, merchant: merchant) }
    /// Operations on items: their details, prices and access.
    public var assets: AssetService { AssetService(calls: calls, merchant: merchant) }
    /// Operations on recurring subscriptions.
    public var subscriptions: SubscriptionService {
        SubscriptionService(calls: calls, services: environment.services)
    }
    /// Operations on receipts of the app stores.
    public var payments: PaymentService { PaymentService(calls: calls, merchant: merchant) }

    /// The session on this device, or nil if no reader is signed in.
    ///
    /// - Throws: ``InPlayerError/storage(_:)``.
    public var session: StoredSession? {
        get async throws(InPlayerError) { try await calls.sessionManager.current() }
    }
}
