public import Foundation

/// A merchant's InPlayer, as one reader's device sees it.
///
/// ```swift
/// let client = InPlayerClient(merchant: InPlayerMerchant(uuid: "528b1b80-5868-4abc-a9b6-4d3455d719c8"))
/// try await client.accounts.signIn("ada@example.com", password: password)
/// let access = try await client.assets.access(to: 43_929)
/// ```
///
/// It can be copied and used from anywhere at the same time: all copies share one session, and however many calls find its
/// token expired, it is renewed once.
public struct InPlayerClient: Sendable {
    public let merchant: InPlayerMerchant
    public let environment: InPlayerEnvironment
    let calls: Calls
    let now: @Sendable () -> Date
    let sleep: @Sendable (_ seconds: Double) async throws -> Void

    /// - Parameters:
    ///   - storage: keeps the session; in memory only unless said.
    ///   - transport: carries the calls.
    ///   - now: the time that tokens are compared with.
    ///   - sleep: waits for so many seconds.
    public init(
        merchant: InPlayerMerchant, environment: InPlayerEnvironment = .production,
        storage: any SessionStorage = MemorySessionStorage(), transport: any InPlayerTransport = HTTPClientTransport(),
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
        let keeper = SessionKeeper(storage: storage, now: now) { token throws(InPlayerError) in
            let request = Endpoint.authentication(merchant, .refresh(token)).request(to: base, token: nil)
            let response: TransportResponse
            do {
                response = try await transport.send(request)
            } catch {
                throw .unreachable(error)
            }
            return try Calls.model(Calls.read(response))
        }
        calls = Calls(base: base, transport: transport, keeper: keeper)
    }

    /// Signing in and out, and whose account it is.
    public var accounts: AccountService { AccountService(calls: calls, merchant: merchant) }
    /// What is sold, and who has access to it.
    public var assets: AssetService { AssetService(calls: calls, merchant: merchant) }
    /// What is paid for again and again.
    public var subscriptions: SubscriptionService {
        SubscriptionService(calls: calls, services: environment.services)
    }
    /// Receipts of the app stores.
    public var payments: PaymentService { PaymentService(calls: calls, merchant: merchant) }

    /// The session on this device; nil when nobody is signed in.
    ///
    /// - Throws: ``InPlayerError/storage(_:)``.
    public var session: StoredSession? {
        get async throws(InPlayerError) { try await calls.keeper.current() }
    }
}
