import Gatefold

extension Storefront {
    /// Stores the push token of an installation, if the text is one.
    ///
    /// - Throws: ``Unavailable`` if the store could not store it.
    func register(pushToken text: String, of app: String, in environment: PushEnvironment) async throws {
        switch PushTokenText.read(text) {
        case .malformed:
            observe(.pushToken(app: app, .malformed))
        case .truncated:
            observe(.pushToken(app: app, .truncated))
        case .token(let bytes):
            do {
                try await pushTokens?.register(
                    PushToken(app: app, bytes: bytes, environment: environment), at: authorizationService.now)
            } catch {
                throw Unavailable(.stateUnavailable, retryAfter: 30, cause: String(describing: type(of: error)))
            }
            observe(.pushToken(app: app, .registered))
        }
    }
}
