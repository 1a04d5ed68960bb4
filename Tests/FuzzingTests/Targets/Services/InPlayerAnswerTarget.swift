@testable import InPlayer

extension FuzzTarget {
    /// The answers of InPlayer's service, each by every model.
    static let inPlayerAnswer = FuzzTarget(
        "inplayer-answer", upTo: 1024, of: "Answer", "Answer+Reading", "AnswerModel", "InPlayerNotification",
        "InPlayerFault", "StoredSession", "NotificationKeys", "Account", "RegistrationField", "AccessFee",
        "AccessHistory",
        "Asset", "ItemAccess", "Page", "PaidSubscription"
    ) { bytes in
        _ = InPlayerNotification(parsing: bytes)
        _ = InPlayerFault(status: 400, body: bytes)
        guard let answer = try? Answer(parsing: bytes) else { return }
        _ = try? StoredSession(answer)
        _ = try? NotificationKeys(answer)
        _ = try? InPlayer.Account(answer)
        _ = try? RegistrationField(answer)
        _ = try? Page<HistoricAccess>(answer)
        _ = try? Asset(answer)
        _ = try? AccessFee(answer)
        _ = try? ItemAccess(answer)
        _ = try? PaidSubscription(answer)
    }
}
