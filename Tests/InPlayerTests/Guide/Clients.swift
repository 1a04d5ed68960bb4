// The guide shows the code between the two markers.
// mark: begin
import Foundation
import InPlayer

/// The client of a service at an address of its own, with a session that outlives the app.
///
/// Nil where the address is no URL that services can have. `.production` and `.staging` are InPlayer's own.
func makeClient(services: String, folder: URL) -> InPlayerClient? {
    guard let environment = InPlayerEnvironment(services: services) else { return nil }
    return InPlayerClient(
        merchant: InPlayerMerchant(uuid: "528b1b80-5868-4abc-a9b6-4d3455d719c8"), environment: environment,
        storage: FileSessionStorage(folder.appending(path: "session.json")))
}
// mark: end
