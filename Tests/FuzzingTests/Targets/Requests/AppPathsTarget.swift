import Foundation
import Gatefold

@testable import FrontDoors

extension FuzzTarget {
    /// Two lines: a path that an app requests, and a configured pattern.
    static let appPaths = FuzzTarget(
        "app-paths", upTo: 512, of: "InPlayerCall", "PathTemplate", "SignedTarget", "NotificationKeyIssuer"
    ) { bytes in
        let lines = lines(bytes, 2)
        if let call = InPlayerAddress(lines[0], isKnown: { $0.rawValue == "daily" })?.call {
            promise(call.pattern.hasPrefix("/") && !call.methods.isEmpty, "a call has no pattern or no methods")
        }
        _ = purchases.match(lines[0])
        if let template = PathTemplate(lines[1]) {
            promise(
                PathTemplate(template.description)?.description == template.description,
                "a template does not round-trip")
            _ = template.match(lines[0])
        }
        _ = SignedTarget(lines[0])
        promise(
            keys.account(signing: lines[0], at: FuzzedTenant.now) == nil, "an unsigned target was accepted as signed")
    }

    private static let purchases = PathTemplate("/purchases/:app_id/:user_id")!

    private static let keys = NotificationKeyIssuer(
        publication: FuzzedTenant.id, secrets: FuzzedTenant.secrets,
        revocations: RevocationList(publication: FuzzedTenant.id), endpoint: "notices.daily.example",
        region: "eu-west-1", random: FuzzedTenant.random)
}
