extension AuditAction {
    /// Whether the action shows what is known of a person or a thing and changes nothing.
    ///
    /// A test of a backend or of the mail reaches another system, and is none.
    package var isRead: Bool {
        switch self {
        case .accountList, .accountShow, .auditShow, .deliveryList, .deviceList, .purchaseShow, .readerExplain,
            .readerSearch, .readerShow, .subscriberExport, .subscriberList, .subscriberShow, .throttleShow,
            .timelineShow, .tokenInspect:
            true
        case .accountErase, .adminDeny, .adminTokenCreate, .adminTokenRevoke, .backendFlush, .backendTest,
            .consoleSignIn, .consoleSignOut, .credentialsIssue, .deliveryRetry, .deliverySettle, .deviceRemove,
            .drillRun, .mailSendTest, .nodeDrain, .nodeRemove, .nodeServe, .purchaseErase, .pushSend, .readerRefresh,
            .sessionEnd, .stateBackup, .stateCopy, .stateEndSessions, .stateMigrate, .stateRestore, .subscriberDelete,
            .subscriberImport, .subscriberSetState, .throttleRelease, .tokenRevoke:
            false
        }
    }

    package static let reads = Set(allCases.filter(\.isRead))
}
