// The guide shows the code between the two markers.
// mark: begin
import Foundation
import InPlayer

/// Sells single items to readers who have an account.
struct Kiosk {
    let client: InPlayerClient

    /// Returns the account, or nil if the e-mail address or the password is wrong.
    func signIn(_ email: String, _ password: String) async throws -> Account? {
        do {
            return try await client.accounts.signIn(email, password: password).account
        } catch InPlayerError.rejected(let fault) where fault.concernsCredentials {
            return nil
        }
    }

    /// Returns the content of an item, and buys it first if needed. An interrupted sale keeps its receipt.
    func content(
        of item: Int, fee: Int, sell: @Sendable (_ product: String) async throws -> String
    ) async throws -> String? {
        let access = try await client.purchase(item: item, accessFee: fee, progress: { print($0) }) {
            .apple(try await sell("\(item)_\(fee)"))
        }
        return access.item?.content
    }
}
// mark: end
