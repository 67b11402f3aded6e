//! The table of well-known types.

use super::Meaning;

/// Returns the meaning of a type of a module.
pub(super) fn meaning(module: &str, name: &str) -> Option<Meaning> {
    let fits = |pattern: &str| match pattern.strip_suffix('*') {
        Some(start) => module.starts_with(start),
        None => module == pattern,
    };
    TYPES.iter().find(|(modules, names, _)| names.contains(&name) && modules.iter().any(|pattern| fits(pattern))).map(|row| row.2)
}

/// Modules, types and their meaning. A star at the end of a module's name stands for any end.
const TYPES: &[(&[&str], &[&str], Meaning)] = &[
    // 3GPP TS 29.002 17.7.8, 29.078, 32.298 5, 32.299, 33.108, 29.118.
    (&["*"], &["TBCD-STRING", "IMSI", "IMEI", "IMEISV", "MSIN", "IMSIandMSIN"], Meaning::Tbcd),
    (
        &["*"],
        &[
            "AddressString",
            "ISDN-AddressString",
            "FTN-AddressString",
            "ISDN-SubaddressString-Number",
            "MSISDN",
            "AddressStringDigits",
            "SMSAddress",
            "CallingNumber",
            "CalledNumber-Digits",
            "RecordingEntity",
            "SCAddress",
        ],
        Meaning::Address,
    ),
    // 3GPP TS 24.008 10.5.1.13, 36.413 9.2.3.8, 38.413 9.3.3.5, 25.413 9.2.3.55.
    (
        &["*"],
        &["PLMN-Id", "PLMN-ID", "PLMNId", "PLMNID", "PLMNidentity", "PLMNIdentity", "PLMN-Identity", "VisitedPLMNID", "MCC-MNC"],
        Meaning::Plmn,
    ),
    // 3GPP TS 32.298 5.1.2.2.
    (
        &["GenericChargingDataTypes", "GPRSChargingDataTypes", "EPCChargingDataTypes", "CHFChargingDataTypes", "GPRS-Charging*"],
        &["TimeStamp"],
        Meaning::TimeStamp,
    ),
    // RFC 5280 4.2.1.6.
    (&["Certificates"], &["IPAddress"], Meaning::Ip),
    (
        &["*"],
        &[
            "IPBinV4Address",
            "IPBinV6Address",
            "IPv4Address",
            "IPv6Address",
            "IPV4Address",
            "IPV6Address",
            "Ipv4Address",
            "Ipv6Address",
            "IpAddress",
        ],
        Meaning::Ip,
    ),
    (&["MAP-*"], &["GSN-Address"], Meaning::Gsn),
    // 3GPP TS 36.414 5.3, 38.414 5.3.
    (&["*"], &["TransportLayerAddress"], Meaning::TransportLayer),
    // GSMA TD.57: octets of a BCDString have the high half first.
    (&["*"], &["BCDString"], Meaning::Bcd),
];
