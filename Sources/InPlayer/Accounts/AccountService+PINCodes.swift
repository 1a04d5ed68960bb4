extension AccountService {
    /// Has a PIN code sent to whoever is signed in, for ``validatePIN(_:)``.
    public func sendPIN() async throws(InPlayerError) {
        var endpoint = Endpoint(.post, "v2", "accounts", "pin-codes", "send", authorization: .required)
        endpoint.body.add("branding_id", merchant.brandingID)
        _ = try await calls.answer(endpoint)
    }

    /// Shows that whoever is signed in has the code that was sent.
    ///
    /// - Throws: ``InPlayerError/refused(_:)`` for a code that is wrong or too old, too.
    public func validatePIN(_ code: String) async throws(InPlayerError) {
        var endpoint = Endpoint(.post, "v2", "accounts", "pin-codes", "validate", authorization: .required)
        endpoint.body.add("pin_code", code)
        _ = try await calls.answer(endpoint)
    }
}
