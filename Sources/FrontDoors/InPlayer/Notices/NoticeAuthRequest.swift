import ContentGate
public import Gatefold
import HTTPTypes
public import Hummingbird

/// Answers the server in front of the broker, which asks for each app that wants to hear notices whether it may.
///
/// 200 or 403, both without a body. The target that the app asked for comes in `X-Original-URI`, as at the other auth-request
/// endpoints.
public struct NoticeAuthRequest<Context: RequestContext>: HTTPResponder {
    private let keys: @Sendable () -> [NoticeKeys]
    private let clock: WallClock
    private let trusts: @Sendable (Request, Context) -> Bool
    private let observe: @Sendable (Bool) -> Void

    /// - Parameters:
    ///   - keys: of all publications whose apps hear notices.
    ///   - trusts: whether the peer that asks may name the target; everybody else gets 403.
    ///   - observe: told whether somebody was let in; must return at once.
    public init(
        keys: @escaping @Sendable () -> [NoticeKeys], clock: WallClock,
        trusts: @escaping @Sendable (Request, Context) -> Bool, observe: @escaping @Sendable (Bool) -> Void
    ) {
        self.keys = keys
        self.clock = clock
        self.trusts = trusts
        self.observe = observe
    }

    public func respond(to request: Request, context: Context) async throws -> Response {
        let isAllowed = allows(request, context)
        observe(isAllowed)
        return RefusalHeaders.response(isAllowed ? .ok : .forbidden)
    }

    private func allows(_ request: Request, _ context: Context) -> Bool {
        guard trusts(request, context), let (method, target) = ForwardedTarget.original.read(request.head),
            method == .get
        else { return false }
        return keys().contains { $0.account(signing: target, at: clock.now) != nil }
    }
}
