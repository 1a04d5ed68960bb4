import Foundation

extension AccountService {
    /// Requests an export of the account's data to its e-mail address.
    public func exportData(password: String) async throws(InPlayerError) {
        var endpoint = Endpoint(.post, "accounts", "export", authorization: .required)
        endpoint.body.add("password", password)
        endpoint.body.add("branding_id", merchant.brandingID)
        _ = try await calls.response(endpoint)
    }

    /// Returns the registration fields of the merchant in display order.
    public func registrationFields() async throws(InPlayerError) -> [RegistrationField] {
        let page: Page<RegistrationField> = try await calls.model(
            Endpoint(.get, "accounts", "register-fields", merchant.uuid))
        return page.items
    }

    /// Returns the sign-in URLs of external identity providers, by provider name.
    ///
    /// - Parameter redirect: The URL to which the provider returns the reader, with
    ///   `#token=…&refresh_token=…&expires=…`.
    public func socialURLs(redirect: String) async throws(InPlayerError) -> [String: String] {
        let state: Data
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            state = try encoder.encode(["client_id": merchant.clientID, "redirect": redirect])
        } catch {
            throw .invalid("expected a redirect URL")
        }
        var endpoint = Endpoint(.get, "accounts", "social")
        endpoint.query.add("state", state.base64EncodedString())
        let response = try await calls.response(endpoint)
        return (response["social_urls"]?.list ?? []).reduce(into: [:]) { urls, item in
            urls.merge(item.texts) { first, _ in first }
        }
    }
}
