import Accounts

@testable import InPlayer

extension FuzzTarget {
    /// Responses of InPlayer's service, each parsed by every model.
    static let inPlayerResponse = FuzzTarget(
        "inplayer-response", upTo: 1024, of: "ResponseValue", "ResponseValue+Reading", "ResponseModel",
        "InPlayerNotification",
        "InPlayerFault", "StoredSession", "NotificationKeys", "Account", "RegistrationField", "AccessFee",
        "AccessHistory",
        "Asset", "ItemAccess", "Page", "PaidSubscription"
    ) { bytes in
        _ = InPlayerNotification(parsing: bytes)
        _ = InPlayerFault(status: 400, body: bytes)
        guard let response = try? ResponseValue(parsing: bytes) else { return }
        _ = try? StoredSession(response)
        _ = try? NotificationKeys(response)
        _ = try? InPlayer.Account(response)
        _ = try? RegistrationField(response)
        _ = try? Page<HistoricAccess>(response)
        _ = try? Asset(response)
        _ = try? AccessFee(response)
        _ = try? ItemAccess(response)
        _ = try? PaidSubscription(response)
    }
}
