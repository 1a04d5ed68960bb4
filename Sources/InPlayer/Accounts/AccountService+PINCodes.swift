extension AccountService {
    /// Requests a PIN code for the signed-in reader. Pass the code to ``validatePIN(_:)``.
    public func sendPIN() async throws(InPlayerError) {
        var endpoint = Endpoint(.post, "v2", "accounts", "pin-codes", "send", authorization: .required)
        endpoint.body.add("branding_id", merchant.brandingID)
        _ = try await calls.response(endpoint)
    }

    /// Verifies that the signed-in reader has the PIN code.
    ///
    /// - Throws: ``InPlayerError/rejected(_:)``, also for a wrong or expired code.
    public func validatePIN(_ code: String) async throws(InPlayerError) {
        var endpoint = Endpoint(.post, "v2", "accounts", "pin-codes", "validate", authorization: .required)
        endpoint.body.add("pin_code", code)
        _ = try await calls.response(endpoint)
    }
}
