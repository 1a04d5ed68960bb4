import Gatefold

/// The shell command with which an operator continues a campaign.
enum CampaignCommand {
    static func send(_ campaign: PushCampaign) -> String {
        var arguments = [
            "gatefold", "push", "send", "--publication", campaign.publication.rawValue, "--app", campaign.app,
            "--environment", campaign.environment.rawValue,
        ]
        if let edition = campaign.edition { arguments += ["--edition", edition.rawValue] }
        if isNamed(campaign) { arguments += ["--name", campaign.name] }
        return arguments.map(quoted).joined(separator: " ")
    }

    /// Returns a remark about the payload, which the command omits because it is not stored.
    static func caveat(_ campaign: PushCampaign) -> String {
        isNamed(campaign) ? ", with its --payload if it has one," : ""
    }

    private static func isNamed(_ campaign: PushCampaign) -> Bool {
        !CampaignName.isEditionSpecific(campaign) && !CampaignName.isUsual(campaign)
    }

    /// Returns the argument quoted for a shell.
    private static func quoted(_ argument: String) -> String {
        argument.wholeMatch(of: /[A-Za-z0-9._\/:@%+=\-]+/) != nil
            ? argument : "'\(argument.replacing("'", with: "'\\''"))'"
    }
}
